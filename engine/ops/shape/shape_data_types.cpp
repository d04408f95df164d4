// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/ir/dim_product.h"
#include "engine/ops/shape/broadcast_axes.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// The part [start, end) of a shape that Shape returns since opset 15.
std::span<const Dim> selectedDims(const InferenceContext& ctx, const SymbolicShape& shape) {
    const auto rank = static_cast<int64_t>(shape.size());
    const auto place = [&](int64_t position) {
        return std::clamp<int64_t>(position < 0 ? position + rank : position, 0, rank);
    };
    const int64_t start = place(ctx.node().attribute<int64_t>("start", 0));
    const int64_t end = place(ctx.node().attribute<int64_t>("end", rank));
    return std::span(shape).subspan(static_cast<size_t>(start),
                                    static_cast<size_t>(std::max<int64_t>(end - start, 0)));
}

void inferShape(InferenceContext& ctx) {
    const auto& input = ctx.shape(0);
    if (!input) return ctx.setOutput(0, DType::Int64, unknownDims(1));
    InferenceContext::Content content;
    for (const Dim& dim : selectedDims(ctx, *input)) content.push_back(SymbolicInt::fromDim(dim));
    ctx.setOutput(0, DType::Int64, SymbolicShape{Dim::of(static_cast<int64_t>(content.size()))});
    ctx.setContent(0, std::move(content));
}

void inferSize(InferenceContext& ctx) {
    ctx.setOutput(0, DType::Int64, SymbolicShape{});
    if (ctx.shape(0)) {
        ctx.setContent(0, {SymbolicInt::fromDim(DimProduct(*ctx.shape(0)).toDim())});
    }
}

void inferConstantOfShape(InferenceContext& ctx) {
    const Tensor value = ctx.node().attribute<Tensor>("value", Tensor::of<float>({1}, {0.0F}));
    const auto shape = shapeFromInput(ctx, 0);
    ctx.setOutput(0, value.dtype(), shape);
    constexpr int64_t kLargest = 64;
    const auto count = shape ? concreteShape(*shape) : std::nullopt;
    if (count && isInteger(value.dtype()) && value.numElements() == 1 &&
        numElements(*count) <= kLargest) {
        const auto size = static_cast<size_t>(numElements(*count));
        ctx.setContent(0, InferenceContext::Content(size, SymbolicInt::of(value.toInt64())));
    }
}

/// 16 GiB of int64: a longer one is a mistake.
constexpr double kLongestRange = 0x1p31;

[[noreturn]] void failRange(const InferenceContext& ctx, const std::string& message) {
    ctx.fail(message, "Check the inputs start, limit and delta of the node.");
}

/// Elements of a Range. Differences are taken in floating point: those of large integers overflow.
int64_t rangeLength(const InferenceContext& ctx, double start, double limit, double delta) {
    const double length = std::ceil((limit - start) / delta);
    if (std::isnan(length) || length > kLongestRange) {
        char numbers[160];
        std::snprintf(numbers, sizeof numbers,
                      "Range from %g to %g in steps of %g has %g elements; expected at most %g.",
                      start, limit, delta, length, kLongestRange);
        failRange(ctx, numbers);
    }
    return static_cast<int64_t>(std::max(0.0, length));
}

int64_t integerRangeLength(const InferenceContext& ctx, int64_t start, int64_t limit,
                           int64_t delta) {
    rangeLength(ctx, static_cast<double>(start), static_cast<double>(limit),
                static_cast<double>(delta));
    int64_t distance = 0, rounded = 0;
    if (__builtin_sub_overflow(limit, start, &distance) ||
        __builtin_add_overflow(distance, delta > 0 ? delta - 1 : delta + 1, &rounded)) {
        failRange(ctx, "The numbers of Range are further apart than 64 bits can count.");
    }
    return std::max<int64_t>(0, rounded / delta);
}

void rangeContent(InferenceContext& ctx, int64_t start, int64_t length, int64_t delta) {
    constexpr int64_t kLargest = 64;
    if (length > kLargest) return;
    InferenceContext::Content content;
    for (int64_t i = 0; i < length; ++i) content.push_back(SymbolicInt::of(start + i * delta));
    ctx.setContent(0, std::move(content));
}

void inferIntegerRange(InferenceContext& ctx) {
    const auto start = ctx.content(0);
    const auto limit = ctx.content(1);
    const auto delta = ctx.content(2);
    ctx.setOutput(0, ctx.dtype(0), unknownDims(1));
    if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 ||
        delta->size() != 1 || !start->front().value || !delta->front().value) {
        return;
    }
    const int64_t first = *start->front().value;
    const int64_t step = *delta->front().value;
    if (step == 0) failRange(ctx, "The delta of Range is 0; expected another number.");
    if (limit->front().value) {
        const int64_t length = integerRangeLength(ctx, first, *limit->front().value, step);
        ctx.setOutput(0, ctx.dtype(0), SymbolicShape{Dim::of(length)});
        rangeContent(ctx, first, length, step);
    } else if (first == 0 && step == 1) {
        ctx.setOutput(0, ctx.dtype(0), SymbolicShape{limit->front().toDim()});
    }
}

void inferRange(InferenceContext& ctx) {
    if (isInteger(ctx.dtype(0))) return inferIntegerRange(ctx);
    const Tensor* start = ctx.constant(0);
    const Tensor* limit = ctx.constant(1);
    const Tensor* delta = ctx.constant(2);
    if (start == nullptr || limit == nullptr || delta == nullptr) {
        return ctx.setOutput(0, ctx.dtype(0), unknownDims(1));
    }
    if (delta->toDouble() == 0) failRange(ctx, "The delta of Range is 0; expected another number.");
    ctx.setOutput(0, ctx.dtype(0),
                  SymbolicShape{Dim::of(
                      rangeLength(ctx, start->toDouble(), limit->toDouble(), delta->toDouble()))});
}

void inferEyeLike(InferenceContext& ctx) {
    if (ctx.shape(0) && ctx.shape(0)->size() != 2) {
        ctx.fail("Input has shape " + formatShape(*ctx.shape(0)) + "; expected rank 2.");
    }
    ctx.setOutput(0, dtypeAttribute(ctx, "dtype", ctx.dtype(0)), ctx.shape(0));
}

void inferBroadcastGradientArgs(InferenceContext& ctx) {
    const auto a = ctx.integers(0);
    const auto b = ctx.integers(1);
    if (!a || !b) {
        ctx.setOutput(0, DType::Int64, unknownDims(1));
        ctx.setOutput(1, DType::Int64, unknownDims(1));
        return;
    }
    const BroadcastAxes axes = BroadcastAxes::of(*a, *b);
    const std::vector<int64_t>* const lists[] = {&axes.ofA, &axes.ofB};
    for (size_t i = 0; i < 2; ++i) {
        InferenceContext::Content content;
        for (const int64_t axis : *lists[i]) content.push_back(SymbolicInt::of(axis));
        ctx.setOutput(i, DType::Int64,
                      SymbolicShape{Dim::of(static_cast<int64_t>(content.size()))});
        ctx.setContent(i, std::move(content));
    }
}

}  // namespace

void addShapeDataTypes(OpCatalog& catalog) {
    catalog.add({"", "Shape", inferShape, 1, 1, {0}},
                {.family = OperatorFamily::Arrangement, .measuresShape = true});
    catalog.add({"", "Size", inferSize, 1, 1, {0}}, {.measuresShape = true});
    catalog.add({"", "ConstantOfShape", inferConstantOfShape, 1, 1, {0}});
    catalog.add({"", "Range", inferRange, 3, 3, {1}});
    catalog.add({"", "EyeLike", inferEyeLike, 1, 1, {0}});
    catalog.add({std::string(kMicrosoftDomain),
                 "BroadcastGradientArgs",
                 inferBroadcastGradientArgs,
                 2,
                 2,
                 {0, 1}});
}

}  // namespace temper
