// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/quantization/quantization.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

constexpr std::string_view kQuantizedTypes = "an integer of 2 to 16 bits or a float of 4 to 8 bits";

bool isQuantizable(DType dtype) { return isFloating(dtype) || dtype == DType::Int32; }
bool isDequantizable(DType dtype) { return isQuantizedType(dtype) || dtype == DType::Int32; }

/// A scalar, or a vector of one element.
bool isSingle(const std::optional<SymbolicShape>& shape) {
    return shape && (shape->empty() || (shape->size() == 1 && shape->front().sameAs(Dim::of(1))));
}

/// Scales and zero points: one number, one for each index of the axis, or one for each block.
void checkScale(const InferenceContext& context) {
    requireFloating(context, 1);
    const auto &x = context.shape(0), &scale = context.shape(1), &zero = context.shape(2);
    const bool areSingle = isSingle(scale) && isSingle(zero);
    if (context.hasInput(2) && scale && zero && scale->size() != zero->size() && !areSingle) {
        context.fail("The scale has rank " + std::to_string(scale->size()) +
                     ", the zero point rank " + std::to_string(zero->size()) +
                     "; expected equal shapes.");
    }
    if (!x || !scale || scale->empty()) return;
    const bool isBlocked = context.node().attribute<int64_t>("block_size", 0) > 0;
    const auto rank = static_cast<int64_t>(x->size());
    if (isBlocked && scale->size() != x->size()) {
        context.fail("The scale has rank " + std::to_string(scale->size()) + "; expected " +
                     std::to_string(rank) + ", a number for each block.");
    }
    const auto axis = context.node().attribute<int64_t>("axis", 1);
    if (isBlocked) requireAxis(context, axis, rank);
    if (isBlocked || isSingle(scale)) return;
    if (scale->size() > 1) {
        context.fail("The scale has rank " + std::to_string(scale->size()) +
                     "; expected a number or one for each index of the axis.");
    }
    const bool isOld = context.node().domain() == kOnnxDomain && context.opset() < 13;
    if (isOld) context.fail("The scale is a vector; expected one number.");
    const int64_t at = requireAxis(context, axis, rank);
    mergeDims(context, scale->front(), (*x)[static_cast<size_t>(at)], "scales and the axis");
}

void inferQuantize(InferenceContext& context) {
    requireDType(context, 0, isQuantizable, "a floating-point type or int32");
    requireDType(context, 2, isQuantizedType, kQuantizedTypes);
    checkScale(context);
    DType dtype = DType::UInt8;
    if (const auto given = context.node().attribute<int64_t>("output_dtype", 0); given != 0) {
        dtype = static_cast<DType>(given);
        if (!isQuantizedType(dtype)) {
            context.fail("Attribute 'output_dtype' is " + std::to_string(given) +
                         "; expected the number of " + std::string(kQuantizedTypes) + ".");
        }
    }
    if (context.hasInput(2) && context.dtype(2) != DType::Undefined) dtype = context.dtype(2);
    context.setOutput(0, dtype, context.shape(0));
}

void inferDequantize(InferenceContext& context) {
    requireDType(context, 0, isDequantizable,
                 "an integer of 2 to 16 bits, a float of 4 to 8 bits or int32");
    requireSameDType(context, 0, 2);
    checkScale(context);
    const auto wanted = context.node().attribute<int64_t>("output_dtype", 0);
    if (wanted != 0 && static_cast<DType>(wanted) != context.dtype(1)) {
        Error error(ErrorCode::Unsupported,
                    "Attribute 'output_dtype' is " + std::to_string(wanted) + " and the scale is " +
                        std::string(dtypeName(context.dtype(1))) + "; expected the same type.",
                    "Cast the scale or the output.");
        error.addContext(context.node().describe());
        throw error;
    }
    context.setOutput(0, context.dtype(1), context.shape(0));
}

void inferDynamicQuantize(InferenceContext& context) {
    requireDType(context, 0, isFloating, "a floating-point type");
    context.setOutput(0, DType::UInt8, context.shape(0));
    context.setOutput(1, context.dtype(0), SymbolicShape{});
    context.setOutput(2, DType::UInt8, SymbolicShape{});
}

void inferFakeQuant(InferenceContext& context) {
    for (const size_t input : {0, 1, 2}) requireFloating(context, input);
    sameAsInput(context);
    context.setOutput(1, DType::Bool, context.shape(0));
}

void inferFakeQuantGrad(InferenceContext& context) {
    requireFloating(context, 0);
    requireDType(context, 1, isBool, "bool");
    sameAsInput(context);
}

void inferMatMulInteger(InferenceContext& context) {
    for (const size_t input : {0, 1, 2, 3}) requireDType(context, input, isByte, "int8 or uint8");
    requireSameDType(context, 0, 2);
    requireSameDType(context, 1, 3);
    context.setOutput(0, DType::Int32, productShape(context, 0, 1));
}

void inferQLinearMatMul(InferenceContext& context) {
    for (const size_t input : {0, 2, 3, 5, 7}) {
        requireDType(context, input, isByte, "int8 or uint8");
    }
    for (const size_t input : {1, 4, 6}) requireFloating(context, input);
    requireSameDType(context, 0, 2);
    requireSameDType(context, 3, 5);
    context.setOutput(0, context.dtype(7), productShape(context, 0, 3));
}

}  // namespace

std::optional<SymbolicShape> productShape(const InferenceContext& context, size_t a, size_t b) {
    std::optional<SymbolicShape> left = context.shape(a), right = context.shape(b);
    if (!left || !right) return std::nullopt;
    if (left->empty() || right->empty()) context.fail("A factor is a scalar; expected matrices.");
    const bool isRow = left->size() == 1, isColumn = right->size() == 1;
    const Dim inner = right->size() == 1 ? right->front() : (*right)[right->size() - 2];
    mergeDims(context, left->back(), inner, "the inner dimensions");
    const Dim rows = isRow ? Dim::of(1) : (*left)[left->size() - 2];
    const Dim columns = isColumn ? Dim::of(1) : right->back();
    left->resize(left->size() - (isRow ? 1 : 2));
    right->resize(right->size() - (isColumn ? 1 : 2));
    SymbolicShape shape = *broadcastShapes(left, right);
    if (!isRow) shape.push_back(rows);
    if (!isColumn) shape.push_back(columns);
    return shape;
}

void addQuantizationTypes(OpCatalog& catalog) {
    catalog.add({"", "QuantizeLinear", inferQuantize, 2, 3, {1, 2}});
    catalog.add({"", "DequantizeLinear", inferDequantize, 2, 3, {1, 2}}, {.movesData = true});
    catalog.add({"", "DynamicQuantizeLinear", inferDynamicQuantize, 1, 1, {}});
    catalog.add({"", "MatMulInteger", inferMatMulInteger, 2, 4, {}});
    catalog.add({"", "QLinearMatMul", inferQLinearMatMul, 8, 8, {1, 4, 6}});
    const std::string ms(kMicrosoftDomain);
    catalog.add({ms, "FakeQuant", inferFakeQuant, 3, 3, {1, 2}});
    catalog.add({ms, "FakeQuantGrad", inferFakeQuantGrad, 2, 2, {}});
}

}  // namespace temper
