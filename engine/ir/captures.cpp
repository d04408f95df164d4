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
