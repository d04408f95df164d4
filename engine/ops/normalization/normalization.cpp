// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/normalization/normalization.h"

#include "engine/ops/lowered_op.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

void inferRmsNorm(InferenceContext& context) {
    requireFloating(context, 0);
    requireFloating(context, 1);
    sameAsInput(context);
}

/// RMSNormalization of opset 23 is what ORT calls SimplifiedLayerNormalization.
std::vector<Var> lowerRmsNorm(const LoweringContext& node) {
    const LayerNormAttributes attributes = LayerNormAttributes::of(node.node());
    return {node.emitter().op("SimplifiedLayerNormalization", {node.input(0), node.input(1)},
                              {{"axis", attributes.axis}, {"epsilon", attributes.epsilon}})};
}

}  // namespace

BatchNormAttributes BatchNormAttributes::of(const Node& node, int64_t opset) {
    BatchNormAttributes attributes{node.attribute<float>("epsilon", 1e-5F),
                                   node.attribute<float>("momentum", 0.9F), false};
    if (node.domain() == kMicrosoftDomain) {
        attributes.isTraining = node.attribute<int64_t>("training_mode", 1) != 0;
    } else if (opset >= 14) {
        attributes.isTraining = node.attribute<int64_t>("training_mode", 0) != 0;
    } else {
        attributes.isTraining = node.output(1) != nullptr;
    }
    return attributes;
}

LayerNormAttributes LayerNormAttributes::of(const Node& node) {
    return {node.attribute<int64_t>("axis", -1), node.attribute<float>("epsilon", 1e-5F)};
}

void registerNormalization(OpSet& ops) {
    addNormalizationTypes(ops.catalog);
    addBatchNormGradients(ops.gradients);
    addLayerNormGradients(ops.gradients);
    addOtherNormGradients(ops.gradients);
    addBatchNormCpuKernels(ops.cpuKernels);
    addLayerNormCpuKernels(ops.cpuKernels);
    addGroupNormCpuKernels(ops.cpuKernels);
    addOtherNormCpuKernels(ops.cpuKernels);
    addLowered(ops, {"", "RMSNormalization", inferRmsNorm, 2, 2, {}}, lowerRmsNorm,
               {.family = OperatorFamily::Normalization, .scaleInput = 1});
}

}  // namespace temper
