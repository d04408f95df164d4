// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engine/ops/fused/fused.h"
#include "engine/ops/quantization/quantization.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

// Inputs.
constexpr size_t kInput = 0;
constexpr size_t kWeights = 1;
constexpr size_t kProjectionBias = 2;
constexpr size_t kInputScale = 3;
constexpr size_t kWeightScale = 4;
constexpr size_t kMask = 5;
constexpr size_t kInputZero = 6;
constexpr size_t kWeightZero = 7;
constexpr size_t kPast = 8;

/// Inputs: see above. Outputs: y, present?. The input and the weights are dequantized.
/// Source: ONNX Runtime, docs/ContribOperators.md, QAttention.
std::vector<Var> lowerQuantizedAttention(const LoweringContext& node) {
    GradientEmitter& emitter = node.emitter();
    const auto dequantized = [&](size_t x, size_t scale, size_t zero) {
        return emitter.op("DequantizeLinear", {node.input(x), node.input(scale), node.input(zero)},
                          {{"axis", int64_t{1}}});
    };
    return emitter.add(kMicrosoftDomain, "Attention",
                       {dequantized(kInput, kInputScale, kInputZero),
                        dequantized(kWeights, kWeightScale, kWeightZero),
                        node.input(kProjectionBias), node.input(kMask), node.input(kPast)},
                       node.node().attributes(), {true, node.wants(1)});
}

void inferQuantizedAttention(InferenceContext& context) {
    for (const size_t i : {kInput, kWeights}) requireDType(context, i, isByte, "int8 or uint8");
    requireFloating(context, kInputScale);
    for (const size_t i : {kProjectionBias, kWeightScale, kPast})
        requireSameDType(context, kInputScale, i);
    requireSameDType(context, kInput, kInputZero);
    requireSameDType(context, kWeights, kWeightZero);
    requireRank(context, kInput, 3);
    requireRank(context, kWeights, 2);
    const auto heads = AttentionAttributes::of(context.node()).heads;
    const SymbolicShape x = context.shape(kInput).value_or(unknownDims(3));
    const SymbolicShape weights = context.shape(kWeights).value_or(unknownDims(2));
    const int64_t projected = weights[1].isNumber() ? weights[1].value : 0;
    if (heads < 1 || projected % (3 * heads) != 0) {
        context.fail("Attribute 'num_heads' is " + std::to_string(heads) +
                         "; expected a divisor of a third of the weights' columns, " +
                         formatShape({weights[1]}) + ".",
                     "Export the model again: the attribute is wrong or missing.");
    }
    const Dim hidden = projected > 0 ? Dim::of(projected / 3) : Dim::unknown();
    const Dim size = projected > 0 ? Dim::of(projected / 3 / heads) : Dim::unknown();
    const DType dtype = context.dtype(kInputScale);
    context.setOutput(0, dtype, SymbolicShape{x[0], x[1], hidden});
    const Dim length = context.hasInput(kPast) ? Dim::unknown() : x[1];
    context.setOutput(1, dtype, SymbolicShape{Dim::of(2), x[0], Dim::of(heads), length, size});
}

}  // namespace

void registerQuantizedAttention(OpSet& ops) {
    OpInfo info = microsoftOp("QAttention", inferQuantizedAttention, 5, 9);
    info.nonDifferentiableInputs = {kInputScale, kWeightScale};
    addLowered(ops, std::move(info), lowerQuantizedAttention);
}

}  // namespace temper
