// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/captures.h"

#include <vector>

namespace temper {

CapturingNodes capturingNodes(const Graph& graph) {
    CapturingNodes capturing;
    for (const Node* node : graph.nodes()) {
        for (const Value* value : graph.capturedBy(*node)) capturing.emplace(value, node);
    }
    return capturing;
}

std::set<std::string> allNames(const Graph& graph) {
    std::set<std::string> names;
    for (const Value* value : graph.values()) names.insert(value->name());
    for (const Node* node : graph.nodes()) {
        for (const auto& [key, attribute] : node->attributes()) {
            const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
            if (body != nullptr && *body != nullptr) names.merge(allNames(**body));
        }
    }
    return names;
}

void removeUnreadInputs(Graph& graph) {
    const CapturingNodes capturing = capturingNodes(graph);
    const std::vector<Value*> inputs = graph.inputs();
    for (Value* input : inputs) {
        const bool isRead =
            !input->uses().empty() || input->isGraphOutput() || capturing.contains(input);
        if (!isRead) graph.removeInput(input);
    }
}

}  // namespace temper
