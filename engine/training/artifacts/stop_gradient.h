// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The values of a model that the user's choices to stop gradients are for.
struct StoppedValues {
    std::vector<std::string> names;
    std::vector<Finding> findings;  ///< A014, for each choice that is for no node
};

/// `choices` are node names and patterns of them, which mean all outputs of the nodes, and names of
/// single outputs.
StoppedValues resolveStopGradient(const Graph& graph, const std::vector<std::string>& choices);

/// The choices with one that means all outputs of the node, or without any that does; a pattern
/// that means others, too, becomes their names.
std::vector<std::string> withStopAt(const Graph& graph, std::vector<std::string> choices,
                                    const Node& node);
std::vector<std::string> withoutStopAt(const Graph& graph, const std::vector<std::string>& choices,
                                       const Node& node);

/// What remains for gradients once they stop at the named values.
struct StoppedGradients {
    std::vector<std::string> cutOff;  ///< those of the parameters that get no gradient any more
    std::vector<Finding> findings;    ///< G007, for information, by node
};

/// Marks the values, see Value::stopsGradients(), and tells what that does to the gradients of
/// `outputs`. Types have to be inferred before.
StoppedGradients stopGradients(Graph& graph, const OpCatalog& catalog,
                               const std::vector<std::string>& names,
                               const std::vector<Value*>& outputs,
                               const std::vector<Value*>& parameters);

}  // namespace temper
