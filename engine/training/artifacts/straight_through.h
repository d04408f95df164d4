// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/autodiff/gradient.h"
#include "engine/core/error.h"
#include "engine/ir/graph.h"

namespace temper {

/// The nodes of a model to which the user's straight-through choices apply.
struct StraightThroughNodes {
    std::vector<std::string> outputs;  ///< names of the nodes' first outputs
    std::vector<Finding> findings;     ///< A010, for each choice that matches no node
};

/// `choices` are operators in any case ("round"), node names or patterns, or output names.
/// Types have to be inferred first.
StraightThroughNodes resolveStraightThrough(const Graph& graph, const GradientRules& rules,
                                            const std::vector<std::string>& choices);

}  // namespace temper
