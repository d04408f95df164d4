// SPDX-License-Identifier: Apache-2.0
#include "engine/core/counted.h"
#include "engine/ops/normalization/channel_gradient.h"
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

/// y = scale (x - mean) r + bias with r = 1 / sqrt(variance + epsilon), running statistics being
/// constants: dx = dy scale r, dscale = r sum dy (x - mean), dbias = sum dy.
Gradients runningStatisticsGradient(const GradientContext& context) {
    const int64_t rank = rankOf(context);
    if (rank < 2) {
        throw Error(ErrorCode::Unsupported,
                    "The gradient of " + context.node().describe() +
                        " needs [batch, channels, ...]; its input has " +
                        counted(rank, "dimension") + ".",
                    "Reshape its input.");
    }
    const Var dy = context.outputGradient(0), x = context.input(0);
    const double epsilon = static_cast<double>(context.attribute<float>("epsilon", 1e-5F));
    const Var one = x.emitter().number(1, context.input(4).dtype());
    const Var inverse = one / sqrt(context.input(4) + epsilon);
    Gradients gradients(5);
    if (context.needs(0)) gradients[0] = dy * perChannel(context.input(1) * inverse, rank);
    if (context.needs(1)) {
        gradients[1] = channelSum(dy * (x - perChannel(context.input(3), rank))) * inverse;
    }
    if (context.needs(2)) gradients[2] = channelSum(dy);
    return gradients;
}

}  // namespace

void addBatchNormGradients(GradientRules& gradients) {
    gradients.add(kOnnxDomain, "BatchNormalization", runningStatisticsGradient);
    gradients.addTrainingForm(kOnnxDomain, "BatchNormalization", replaceByInternal, true);
    gradients.add(kMicrosoftDomain, "BatchNormInternal", batchNormInternalGradient);
}

}  // namespace temper
