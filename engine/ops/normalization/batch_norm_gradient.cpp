// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/normalization/normalization.h"

namespace temper {
namespace {

/// Every BatchNormalization of a training graph uses and updates the statistics of the batch, as in
/// ORT: the form with all five outputs, whose gradient reads the last two.
/// Source: spec gradients 2.3.
void replaceByInternal(Graph& graph, Node* node) {
    const BatchNormAttributes attributes = BatchNormAttributes::of(*node, 14);
    for (const char* name : {"spatial", "training_mode"}) node->removeAttribute(name);
    node->setAttribute("epsilon", attributes.epsilon);
    node->setAttribute("momentum", attributes.momentum);
    node->setAttribute("training_mode", int64_t{1});
    const char* const names[] = {"", "running_mean_def", "running_var_def", "saved_mean_def",
                                 "saved_inv_std"};
    for (size_t i = 1; i < 5; ++i) {
        if (node->output(i) == nullptr) graph.addOutputTo(node, i, graph.uniqueName(names[i]));
    }
    graph.setOpType(node, "BatchNormInternal", std::string(kMicrosoftDomain));
    graph.renameNode(node, node->name() + "_BatchNormInternal");
}

/// The gradient through the statistics of the batch.
Gradients batchNormInternalGradient(const GradientContext& context) {
    const Attributes attributes = {{"epsilon", context.attribute<float>("epsilon", 1e-5F)}};
    return context.emitter().add(kMicrosoftDomain, "BatchNormalizationGrad",
                                 {context.outputGradient(0), context.input(0), context.input(1),
                                  context.output(3), context.output(4)},
                                 attributes, {true, true, true});
}

}  // namespace

void addBatchNormGradients(GradientRules& gradients) {
    gradients.addTrainingForm(kOnnxDomain, "BatchNormalization", replaceByInternal, true);
    gradients.add(kMicrosoftDomain, "BatchNormInternal", batchNormInternalGradient);
}

}  // namespace temper
