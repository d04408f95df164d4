// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/gradient_path.h"

#include <algorithm>

#include "engine/autodiff/reachability.h"

namespace temper {
namespace {

bool makesAny(const Node& node, const ValueSet& values) {
    return std::any_of(node.outputs().begin(), node.outputs().end(), [&](const Value* output) {
        return output != nullptr && values.contains(output);
    });
}

bool takesGradient(const Graph& graph, const OpCatalog& catalog, const Node& node,
                   const ValueSet& values) {
    const std::vector<Value*> reads = differentiableReads(graph, catalog, node);
    return std::any_of(reads.begin(), reads.end(),
                       [&values](const Value* value) { return values.contains(value); });
}

bool reads(const Graph& graph, const Node& node, const ValueSet& values) {
    const auto isThere = [&values](const Value* value) { return values.contains(value); };
    const std::vector<Value*> captured = graph.capturedBy(node);
    return std::any_of(node.inputs().begin(), node.inputs().end(), isThere) ||
           std::any_of(captured.begin(), captured.end(), isThere);
}

}  // namespace

GradientPath gradientPath(const Graph& graph, const OpCatalog& catalog,
                          const std::vector<Value*>& outputs, const Value* parameter) {
    const ValueSet influenced = reachedFrom(graph, catalog, {const_cast<Value*>(parameter)});
    ValueSet needed;
    for (const Value* output : outputs) needed.merge(reachingTo(graph, catalog, output));
    GradientPath path;
    for (const Node* node : graph.topologicalOrder())
        if (makesAny(*node, influenced) && makesAny(*node, needed) &&
            takesGradient(graph, catalog, *node, influenced))
            path.nodes.push_back(node);
    if (!path.nodes.empty() && needed.contains(parameter)) return path;
    path.nodes.clear();
    for (const Node* node : graph.topologicalOrder())
        if (reads(graph, *node, influenced) && !makesAny(*node, influenced))
            path.ends.push_back(node);
    return path;
}

}  // namespace temper
