// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/training/spec/training_spec.h"

namespace temper {

/// The shell command that trains the same: "temper train PROJECT" if `project` is a project folder.
/// Otherwise it makes the artifacts and trains them, with a flag for each choice that differs from
/// its default: "temper artifacts ... && temper train ...".
std::string commandLineOf(const TrainingSpec& spec, const std::filesystem::path& project);

/// A flag, such as "--freeze", and its values; none for a switch.
struct GivenFlag {
    std::string name;
    std::vector<std::string> values;
};

/// What `temper artifacts` is told about the model and its training besides loss and optimizer: a
/// flag for each choice that differs from its default.
std::vector<GivenFlag> artifactFlags(const TrainingSpec& spec);

}  // namespace temper
