// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/eval_model.h"

#include <algorithm>

namespace temper {
namespace {

constexpr size_t kDropoutTrainingMode = 2;

void disableDropout(Graph& graph, Node* node) {
    if (node->input(kDropoutTrainingMode) == nullptr) return;
    graph.setInput(node, kDropoutTrainingMode, nullptr);
}

}  // namespace

/// Outputs after the first exist only in training. If one is read, the statistic that it updates
/// replaces it.
void useRunningStatistics(Graph& graph, Node* batchNorm) {
    if (batchNorm->hasAttribute("training_mode"))
        batchNorm->setAttribute("training_mode", int64_t{0});
    for (size_t i = 1; i < batchNorm->outputs().size(); ++i) {
        Value* output = batchNorm->output(i);
        if (output == nullptr) continue;
        Value* statistic = batchNorm->input(i % 2 == 1 ? 3 : 4);
        if (!output->uses().empty()) graph.replaceUses(output, statistic);
        graph.dropOutput(batchNorm, i);
    }
}

void disableTrainingMode(Graph& graph) {
    for (Node* node : graph.nodes()) {
        if (!node->domain().empty() && node->domain() != "ai.onnx") continue;
        if (node->opType() == "Dropout") disableDropout(graph, node);
        if (node->opType() == "BatchNormalization") useRunningStatistics(graph, node);
    }
}

}  // namespace temper
