// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "engine/ir/graph.h"

namespace temper {

/// The values of a graph that bodies of its nodes read, each with the first node whose body does.
using CapturingNodes = std::unordered_map<const Value*, const Node*>;
CapturingNodes capturingNodes(const Graph& graph);

/// Removes the graph inputs that neither a node nor a body reads and that the graph does not give
/// out.
void removeUnreadInputs(Graph& graph);

}  // namespace temper
