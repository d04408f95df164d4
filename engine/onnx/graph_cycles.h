// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/onnx/proto.h"

namespace temper {

/// The sets of nodes of a graph that need each other, and nodes that need themselves, by their
/// inputs; each as indices in ascending order. Of a name with several definitions the last one
/// counts. Source: Tarjan, Depth-First Search and Linear Graph Algorithms (1972), without
/// recursion.
std::vector<std::vector<int>> findCycles(const onnx::GraphProto& graph);

/// An input of a node.
struct CycleEdge {
    int node;
    int input;
};

/// The inputs of nodes of such a set that nodes of it make which come later in the file, or the
/// node itself. Without them, the set has no cycle.
std::vector<CycleEdge> edgesBack(const onnx::GraphProto& graph, const std::vector<int>& cycle);

}  // namespace temper
