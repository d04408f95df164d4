// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/provenance/module_names.h"
#include "engine/training/parameters/name_patterns.h"
#include "engine/training/spec/artifact_spec.h"

namespace temper {

/// Which group a parameter is in: the first whose patterns match its name or one of its names in
/// the exported module.
class GroupMembership {
public:
    explicit GroupMembership(const std::vector<ParameterGroup>& groups, ModuleNames modules = {});

    /// The index of the group; nothing if there is none.
    std::optional<size_t> groupOf(const std::string& name) const;

private:
    ModuleNames modules_;
    std::vector<NamePatterns> patterns_;
};

/// Parameters that move to the group `to`: an existing one, a new one if it is the number of
/// groups, or none.
struct ParameterMove {
    std::set<std::string> names;
    std::optional<size_t> to = {};
};

/// The groups after a move: the others exclude its names. `parameters`: all of the model; a group
/// that becomes empty is removed. Without a change the groups stay character for character.
std::vector<ParameterGroup> withParametersMoved(std::vector<ParameterGroup> groups,
                                                const std::vector<std::string>& parameters,
                                                const ParameterMove& move,
                                                const ModuleNames& modules = {});

}  // namespace temper
