// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/fused/fused.h"
#include "engine/ops/lowered_op.h"

namespace temper {
namespace {

/// The inputs of a normalization and the outputs that its operator has.
std::vector<Var> normalized(const LoweringContext& node, const char* opType,
                            const std::vector<Var>& inputs, size_t statistics) {
    std::vector<bool> wanted(1 + statistics);
    wanted[0] = true;
    for (size_t i = 1; i < wanted.size(); ++i) wanted[i] = node.wants(i + 2 - statistics);
    while (!wanted.back()) wanted.pop_back();
    std::vector<Var> results = node.emitter().add(
        kOnnxDomain, opType, inputs,
        {{"axis", int64_t{-1}}, {"epsilon", node.attribute<float>("epsilon", 1e-12F)}}, wanted);
    results.resize(1 + statistics);
    return results;
}

/// Inputs: x, skip, gamma, beta?, bias?. Outputs: y, mean?, inverse deviation?, sum?.
std::vector<Var> lowerSkipLayerNorm(const LoweringContext& node) {
    Var total = node.input(0) + node.input(1);
    if (node.hasInput(4)) total = total + node.input(4);
    const std::vector<Var> y =
        normalized(node, "LayerNormalization", {total, node.input(2), node.input(3)}, 2);
    return {y[0], y[1], y[2], total};
}

/// Inputs: x, skip, gamma, bias?. Outputs: y, (no mean), inverse deviation?, sum?.
std::vector<Var> lowerSkipSimplified(const LoweringContext& node) {
    Var total = node.input(0) + node.input(1);
    if (node.hasInput(3)) total = total + node.input(3);
    const std::vector<Var> y =
        normalized(node, "SimplifiedLayerNormalization", {total, node.input(2)}, 1);
    return {y[0], Var(), y[1], total};
}

}  // namespace

void registerSkipNorm(OpSet& ops) {
    const OperatorFacts facts{.family = OperatorFamily::Normalization, .scaleInput = 2};
    addLowered(ops, microsoftOp("SkipLayerNormalization", inferSkipNorm, 3, 5), lowerSkipLayerNorm,
               facts);
    addLowered(ops, microsoftOp("SkipSimplifiedLayerNormalization", inferSkipNorm, 3, 4),
               lowerSkipSimplified, facts);
}

}  // namespace temper
