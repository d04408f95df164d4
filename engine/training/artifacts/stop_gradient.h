// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The values of a model to which the user's choices to stop gradients apply.
struct StoppedValues {
    std::vector<std::string> names;
    std::vector<Finding> findings;  ///< A014, for each choice that matches no node
};

/// `choices` are node names or patterns, which mean all outputs of the nodes, and names of single
/// outputs.
StoppedValues resolveStopGradient(const Graph& graph, const std::vector<std::string>& choices);

/// The choices with one that covers all outputs of the node, or without any that does; a pattern
/// that also covers others is replaced by their names.
std::vector<std::string> withStopAt(const Graph& graph, std::vector<std::string> choices,
                                    const Node& node);
std::vector<std::string> withoutStopAt(const Graph& graph, const std::vector<std::string>& choices,
                                       const Node& node);

/// What remains of the gradients if they stop at the named values.
struct StoppedGradients {
    std::vector<std::string> cutOff;  ///< names of parameters that no longer get a gradient
    std::vector<Finding> findings;    ///< G007 (info), by node
};

/// Marks the values, see Value::stopsGradients(), and reports the effect on the gradients of
/// `outputs`. Types have to be inferred first.
StoppedGradients stopGradients(Graph& graph, const OpCatalog& catalog,
                               const std::vector<std::string>& names,
                               const std::vector<Value*>& outputs,
                               const std::vector<Value*>& parameters);

}  // namespace temper
