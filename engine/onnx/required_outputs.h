// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/ir/op_catalog.h"

namespace temper {

/// The name in a file of an output that the graph omits: a new one if the operator requires the
/// output; empty otherwise, and for the nodes of a body.
std::string nameOfOmitted(const Node& node, size_t output, const Graph& graph);

/// Completes a graph for ORT format: with the omitted outputs that operators require, and the types
/// of all values in bodies (typeBodies()). The graph's own values have to be typed.
void completeForOrtFormat(Graph& graph, const OpCatalog& catalog);

}  // namespace temper
