// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/node_paths.h"

#include <algorithm>

namespace temper {
namespace {

bool readsAny(const Graph& graph, const Node& node, const NodeSet& makers) {
    const auto isMade = [&makers](const Value* value) {
        return value != nullptr && value->producer() != nullptr &&
               makers.contains(value->producer());
    };
    const std::vector<Value*> captured = graph.capturedBy(node);
    return std::any_of(node.inputs().begin(), node.inputs().end(), isMade) ||
           std::any_of(captured.begin(), captured.end(), isMade);
}

void addMakers(const Graph& graph, const Node& node, NodeSet& into) {
    const auto add = [&into](const Value* value) {
        if (value != nullptr && value->producer() != nullptr) into.insert(value->producer());
    };
    for (const Value* input : node.inputs()) add(input);
    for (const Value* captured : graph.capturedBy(node)) add(captured);
}

}  // namespace

NodeSet nodesBefore(const Graph& graph, const std::vector<const Node*>& nodes) {
    NodeSet found(nodes.begin(), nodes.end());
    const std::vector<Node*> order = graph.topologicalOrder();
    for (auto node = order.rbegin(); node != order.rend(); ++node)
        if (found.contains(*node)) addMakers(graph, **node, found);
    return found;
}

NodeSet nodesAfter(const Graph& graph, const std::vector<const Node*>& nodes) {
    NodeSet found(nodes.begin(), nodes.end());
    for (const Node* node : graph.topologicalOrder())
        if (!found.contains(node) && readsAny(graph, *node, found)) found.insert(node);
    return found;
}

NodeSet nodesBetween(const Graph& graph, const std::vector<const Node*>& from,
                     const std::vector<const Node*>& to) {
    const NodeSet before = nodesBefore(graph, to);
    NodeSet between = nodesAfter(graph, from);
    std::erase_if(between, [&before](const Node* node) { return !before.contains(node); });
    return between;
}

}  // namespace temper
