// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "engine/ir/graph.h"

namespace temper {

/// The values of a graph that bodies of its nodes read, each with the first node whose body reads
/// it.
using CapturingNodes = std::unordered_map<const Value*, const Node*>;
CapturingNodes capturingNodes(const Graph& graph);

/// The names of the values of a graph and of all bodies in it.
std::set<std::string> allNames(const Graph& graph);

/// Removes the graph inputs that no node and no body reads and that are not graph outputs.
void removeUnreadInputs(Graph& graph);

}  // namespace temper
