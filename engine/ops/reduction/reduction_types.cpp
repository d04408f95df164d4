// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <vector>

#include "engine/core/wrapping.h"
#include "engine/ops/reduction/reduction.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

constexpr size_t kAny = std::numeric_limits<size_t>::max();

using Fold = int64_t (*)(int64_t, int64_t);

bool keepsDims(const InferenceContext& context) {
    return context.node().attribute<int64_t>("keepdims", 1) != 0;
}

/// The shape if the axes are known.
SymbolicShape reducedShape(const InferenceContext& context, const SymbolicShape& shape,
                           const std::vector<int64_t>& axes) {
    const auto rank = static_cast<int64_t>(shape.size());
    std::vector<bool> isReduced(shape.size(), axes.empty());
    for (const int64_t axis : requireAxes(context, axes, rank)) {
        isReduced[static_cast<size_t>(axis)] = true;
    }
    SymbolicShape result;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (!isReduced[i]) result.push_back(shape[i]);
        if (isReduced[i] && keepsDims(context)) result.push_back(Dim::of(1));
    }
    return result;
}

/// Axes that are known only at run time: at most the rank is known.
std::optional<SymbolicShape> shapeOfUnknownAxes(const InferenceContext& context,
                                                const SymbolicShape& shape) {
    if (keepsDims(context)) return unknownDims(shape.size());
    const auto count = lengthOf(context, 1);
    if (!count || *count > shape.size() || *count == 0) return std::nullopt;
    return unknownDims(shape.size() - *count);
}

std::optional<SymbolicShape> inferShape(const InferenceContext& context) {
    const auto& shape = context.shape(0);
    if (!shape) return std::nullopt;
    const auto axes = context.axes(1);
    if (!axes) return shapeOfUnknownAxes(context, *shape);
    const bool noop = context.node().attribute<int64_t>("noop_with_empty_axes", 0) != 0;
    if (axes->empty() && noop) return *shape;
    return reducedShape(context, *shape, *axes);
}

/// Products of shapes and the like: integers of a vector that is reduced to one.
void foldContent(InferenceContext& context, Fold fold) {
    const auto numbers = context.integers(0);
    const auto axes = context.axes(1);
    const bool noop = context.node().attribute<int64_t>("noop_with_empty_axes", 0) != 0;
    if (!numbers || numbers->empty() || !axes || (axes->empty() && noop)) return;
    if (context.inputType(0).rank() != 1) return;
    int64_t result = numbers->front();
    for (size_t i = 1; i < numbers->size(); ++i) result = fold(result, (*numbers)[i]);
    context.setContent(0, {SymbolicInt::of(result)});
}

/// Since opset 20, booleans have a maximum and a minimum.
bool isNumericOrBool(DType dtype) { return isNumeric(dtype) || isBool(dtype); }

TypeInference reduction(Fold fold, bool isExtreme = false) {
    return [fold, isExtreme](InferenceContext& context) {
        const bool takesBool = isExtreme && context.opset() >= 20;
        requireDType(context, 0, takesBool ? isNumericOrBool : isNumeric, "a number");
        requireDType(context, 1, isIndex, "int32 or int64");
        context.setOutput(0, context.dtype(0), inferShape(context));
        if (fold != nullptr) foldContent(context, fold);
    };
}

void inferArg(InferenceContext& context) {
    requireDType(context, 0, isNumeric, "a number");
    const auto& shape = context.shape(0);
    if (!shape) return context.setOutput(0, DType::Int64, std::nullopt);
    const auto axis = context.node().attribute<int64_t>("axis", 0);
    context.setOutput(0, DType::Int64, reducedShape(context, *shape, {axis}));
}

void inferCumSum(InferenceContext& context) {
    requireDType(context, 0, isNumeric, "a number");
    requireDType(context, 1, isIndex, "int32 or int64");
    sameAsInput(context);
    const auto axis = context.integers(1);
    const int64_t rank = context.inputType(0).rank();
    if (axis && axis->size() == 1 && rank >= 0) requireAxis(context, axis->front(), rank);
}

void inferReduceAllL2(InferenceContext& context) {
    for (size_t i = 0; i < context.inputCount(); ++i) requireFloating(context, i);
    context.setOutput(0, context.dtype(0), SymbolicShape{});
}

}  // namespace

void registerReductionTypes(OpCatalog& catalog) {
    const auto add = [&](const char* op, Fold fold, bool isExtreme = false) {
        catalog.add({"", op, reduction(fold, isExtreme), 1, 2, {1}});
    };
    catalog.add({"", "ReduceSum", reduction(wrappingAdd<int64_t>), 1, 2, {1}},
                {.family = OperatorFamily::Pooling});
    catalog.add({"", "ReduceMean", reduction(nullptr), 1, 2, {1}},
                {.family = OperatorFamily::Pooling, .keepsClasses = true});
    add("ReduceProd", wrappingMultiply<int64_t>);
    add(
        "ReduceMax", [](int64_t a, int64_t b) { return std::max(a, b); }, true);
    add(
        "ReduceMin", [](int64_t a, int64_t b) { return std::min(a, b); }, true);
    for (const char* op :
         {"ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"}) {
        add(op, nullptr);
    }
    catalog.add({"", "ArgMax", inferArg, 1, 1, {0}});
    catalog.add({"", "ArgMin", inferArg, 1, 1, {0}});
    catalog.add({"", "CumSum", inferCumSum, 2, 2, {1}});
    catalog.add({"", "CumProd", inferCumSum, 2, 2, {1}});
    const std::string ms(kMicrosoftDomain);
    catalog.add({ms, "ReduceSumTraining", reduction(nullptr), 2, 2, {1}});
    catalog.add({ms, "ReduceAllL2", inferReduceAllL2, 1, kAny, {}});
}

}  // namespace temper
