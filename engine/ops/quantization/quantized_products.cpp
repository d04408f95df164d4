// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engine/ops/lowered_op.h"
#include "engine/ops/quantization/quantization.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

// Products of integers of 8 bits whose results are scaled. Their sums are computed in double
// precision, which holds them exactly.
// Source: ONNX Runtime, docs/ContribOperators.md.

constexpr DType kWide = DType::Float64;

/// x - zero; x if the zero point is omitted.
Var centred(Var x, Var zero) { return zero ? cast(x, kWide) - cast(zero, kWide) : cast(x, kWide); }

/// Inputs: a, b, their scales, their zero points?, bias?.
std::vector<Var> lowerMatMulIntegerToFloat(const LoweringContext& node) {
    const Var sums =
        matMul(centred(node.input(0), node.input(4)), centred(node.input(1), node.input(5)));
    const Var scale = node.input(2) * node.input(3);
    const Var y = cast(sums, scale.dtype()) * scale;
    return {node.hasInput(6) ? y + node.input(6) : y};
}

/// Inputs: a in floats, b, its scale, its zero point?, bias?. a is quantized by its own range.
std::vector<Var> lowerDynamicQuantizeMatMul(const LoweringContext& node) {
    const std::vector<Var> a = node.emitter().add(kOnnxDomain, "DynamicQuantizeLinear",
                                                  {node.input(0)}, {}, {true, true, true});
    const Var sums = matMul(centred(a[0], a[2]), centred(node.input(1), node.input(3)));
    const Var scale = a[1] * node.input(2);
    const Var y = cast(sums, scale.dtype()) * scale;
    return {node.hasInput(4) ? y + node.input(4) : y};
}

/// If b is transposed, each of its rows takes one number.
Var byColumn(Var x, bool isTransposed) {
    const bool isList = x && x.rank() == 1 && !(x.shape().front() == Dim::of(1));
    return isList && isTransposed ? unsqueeze(x, {1}) : x;
}

/// Inputs: a, scale, zero point, b, scale, zero point, bias?, scale and zero point of the result?.
/// y = alpha scaleA scaleB (a b + bias), quantized if its scale is given.
std::vector<Var> lowerQGemm(const LoweringContext& node) {
    const auto transB = node.attribute<int64_t>("transB", 0);
    Var a = centred(node.input(0), node.input(2));
    Var b = centred(node.input(3), byColumn(node.input(5), transB != 0));
    if (node.attribute<int64_t>("transA", 0) != 0) a = transpose(a, {1, 0});
    if (transB != 0) b = transpose(b, {1, 0});
    Var sums = matMul(a, b);
    if (node.hasInput(6)) sums = sums + cast(node.input(6), kWide);
    const auto alpha = static_cast<double>(node.attribute<float>("alpha", 1.0F));
    const Var scale = node.input(1) * node.input(4) * alpha;
    const Var y = cast(sums, scale.dtype()) * scale;
    if (!node.hasInput(7)) return {y};
    return {node.emitter().op("QuantizeLinear", {y, node.input(7), node.input(8)})};
}

void requireBytes(const InferenceContext& context, std::initializer_list<size_t> inputs) {
    for (const size_t i : inputs) requireDType(context, i, isByte, "int8 or uint8");
}

void inferMatMulIntegerToFloat(InferenceContext& context) {
    requireBytes(context, {0, 1, 4, 5});
    requireFloating(context, 2);
    for (const size_t i : {3, 6}) requireSameDType(context, 2, i);
    context.setOutput(0, context.dtype(2), productShape(context, 0, 1));
}

void inferDynamicQuantizeMatMul(InferenceContext& context) {
    requireFloating(context, 0);
    for (const size_t i : {2, 4}) requireSameDType(context, 0, i);
    requireBytes(context, {1, 3});
    context.setOutput(0, context.dtype(0), productShape(context, 0, 1));
}

void inferQGemm(InferenceContext& context) {
    requireBytes(context, {0, 2, 3, 5, 8});
    for (const size_t i : {1, 4, 7}) requireFloating(context, i);
    for (const size_t i : {0, 3}) requireRank(context, i, 2);
    const bool transA = context.node().attribute<int64_t>("transA", 0) != 0;
    const bool transB = context.node().attribute<int64_t>("transB", 0) != 0;
    const SymbolicShape a = context.shape(0).value_or(unknownDims(2));
    const SymbolicShape b = context.shape(3).value_or(unknownDims(2));
    mergeDims(context, a[transA ? 0 : 1], b[transB ? 1 : 0], "the inner dimensions");
    const DType dtype = context.hasInput(7) ? context.dtype(8) : context.dtype(1);
    context.setOutput(0, dtype, SymbolicShape{a[transA ? 1 : 0], b[transB ? 0 : 1]});
}

}  // namespace

void registerQuantizedProducts(OpSet& ops) {
    // Their gradients: integer_gradient.cpp.
    const auto add = [&](const char* opType, TypeInference infer, size_t fewest, size_t most,
                         std::set<size_t> constants, LoweringRule rule) {
        ops.catalog.add({std::string(kMicrosoftDomain), opType, std::move(infer), fewest, most,
                         std::move(constants), loweringBy(std::move(rule))});
    };
    add("MatMulIntegerToFloat", inferMatMulIntegerToFloat, 4, 7, {2, 3}, lowerMatMulIntegerToFloat);
    add("DynamicQuantizeMatMul", inferDynamicQuantizeMatMul, 3, 5, {2}, lowerDynamicQuantizeMatMul);
    add("QGemm", inferQGemm, 6, 9, {1, 4, 7}, lowerQGemm);
}

}  // namespace temper
