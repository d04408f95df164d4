// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <span>

#include "engine/core/checked.h"
#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/shape/pad_widths.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/shape/slice_range.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

Dim sumOfDims(const InferenceContext& ctx, size_t axis) {
    int64_t total = 0;
    Dim symbol = Dim::of(0);
    for (size_t i = 0; i < ctx.inputCount(); ++i) {
        const Dim& dim = (*ctx.shape(i))[axis];
        if (dim.isNumber()) {
            total = checkedSum(total, dim.value);
        } else if (symbol.isNumber()) {
            symbol = dim;
        } else {
            symbol = Dim::unknown();
        }
    }
    if (symbol.isNumber()) return Dim::of(total);
    return total == 0 ? symbol : Dim::unknown();
}

std::optional<SymbolicShape> joinedShape(const InferenceContext& ctx, int64_t axisAttribute) {
    std::optional<SymbolicShape> result;
    for (size_t i = 0; i < ctx.inputCount(); ++i) {
        const auto& shape = ctx.shape(i);
        if (!shape) return std::nullopt;
        if (!result) result = shape;
        if (shape->size() != result->size()) {
            ctx.fail("Inputs have the shapes " + formatShape(*result) + " and " +
                     formatShape(*shape) + "; expected equal ranks.");
        }
    }
    if (!result) ctx.fail("Concat has no inputs; expected at least one.");
    const size_t axis = requireAxis(ctx, axisAttribute, static_cast<int64_t>(result->size()));
    for (size_t d = 0; d < result->size(); ++d) {
        for (size_t i = 1; d != axis && i < ctx.inputCount(); ++i) {
            (*result)[d] = mergeDims(ctx, (*result)[d], (*ctx.shape(i))[d],
                                     "Dimensions of inputs on axis " + std::to_string(d));
        }
    }
    (*result)[axis] = sumOfDims(ctx, axis);
    return result;
}

void joinContents(InferenceContext& ctx) {
    InferenceContext::Content all;
    for (size_t i = 0; i < ctx.inputCount(); ++i) {
        const auto part = ctx.content(i);
        if (!part || ctx.inputType(i).rank() != 1) return;
        all.insert(all.end(), part->begin(), part->end());
    }
    ctx.setContent(0, std::move(all));
}

void inferConcat(InferenceContext& ctx) {
    const auto axis = ctx.node().attribute<int64_t>("axis");
    if (!axis) ctx.fail("Attribute 'axis' is missing.");
    for (size_t i = 1; i < ctx.inputCount(); ++i) requireSameDType(ctx, 0, i);
    ctx.setOutput(0, ctx.dtype(0), joinedShape(ctx, *axis));
    joinContents(ctx);
}

/// ORT's form of Concat that also returns the length of each input.
void inferConcatTraining(InferenceContext& ctx) {
    inferConcat(ctx);
    ctx.setOutput(1, DType::Int64, SymbolicShape{Dim::of(static_cast<int64_t>(ctx.inputCount()))});
    InferenceContext::Content lengths;
    for (size_t i = 0; i < ctx.inputCount(); ++i) {
        const auto& shape = ctx.shape(i);
        if (!shape) return;
        const size_t axis = requireAxis(ctx, ctx.node().attribute<int64_t>("axis", 0),
                                        static_cast<int64_t>(shape->size()));
        lengths.push_back(SymbolicInt::fromDim((*shape)[axis]));
    }
    ctx.setContent(1, std::move(lengths));
}

/// Parts of equal size; the last one is smaller if they do not divide evenly (opset 18).
InferenceContext::Content equalParts(const InferenceContext& ctx, const Dim& dim, size_t parts) {
    InferenceContext::Content result(parts, SymbolicInt::unknown());
    if (!dim.isNumber() || parts == 0) return result;
    const auto count = static_cast<int64_t>(parts);
    const bool mayDiffer = ctx.opset() >= 18 && ctx.node().hasAttribute("num_outputs");
    if (!mayDivide(count, dim) && !mayDiffer) {
        ctx.fail("A dimension of " + std::to_string(dim.value) + " can't be split into " +
                 std::to_string(parts) + " equal parts.");
    }
    const int64_t size = quotientOf(sumOf(dim, count - 1), count).value;
    int64_t left = dim.value;
    for (SymbolicInt& part : result) {
        part = SymbolicInt::of(std::clamp<int64_t>(left, 0, size));
        left -= size;
    }
    return result;
}

InferenceContext::Content partsOf(const InferenceContext& ctx, const Dim& dim) {
    const size_t count = ctx.node().outputs().size();
    if (ctx.hasInput(1)) {
        const auto sizes = ctx.content(1);
        if (!sizes) return InferenceContext::Content(count, SymbolicInt::unknown());
        if (!sizes->empty()) return *sizes;
    }
    if (const auto sizes = ctx.node().attribute<std::vector<int64_t>>("split")) {
        InferenceContext::Content result;
        for (const int64_t size : *sizes) result.push_back(SymbolicInt::of(size));
        return result;
    }
    return equalParts(ctx, dim, count);
}

void checkParts(const InferenceContext& ctx, const InferenceContext::Content& parts,
                const Dim& dim) {
    if (parts.size() != ctx.node().outputs().size()) {
        ctx.fail("The input is split into " + counted(parts.size(), "part") +
                 "; expected one per output, " + std::to_string(ctx.node().outputs().size()) + ".");
    }
    int64_t total = 0;
    for (const SymbolicInt& part : parts) {
        if (!part.value) return;
        if (*part.value < 0) ctx.fail("The size of a part is negative.");
        total = checkedSum(total, *part.value);
    }
    if (dim.isNumber() && total != dim.value) {
        ctx.fail("The parts have " + counted(total, "element") + " in total; expected " +
                 std::to_string(dim.value) + ", the split dimension.");
    }
}

void splitContent(InferenceContext& ctx, const InferenceContext::Content& parts) {
    const auto content = ctx.content(0);
    if (!content || ctx.inputType(0).rank() != 1) return;
    size_t begin = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        if (!parts[i].value) return;
        const size_t end = begin + static_cast<size_t>(*parts[i].value);
        if (end > content->size()) return;
        ctx.setContent(i, {content->begin() + static_cast<std::ptrdiff_t>(begin),
                           content->begin() + static_cast<std::ptrdiff_t>(end)});
        begin = end;
    }
}

void inferSplit(InferenceContext& ctx) {
    requireDType(ctx, 1, isIndex, "int64");
    const size_t count = ctx.node().outputs().size();
    const auto& input = ctx.shape(0);
    if (!input) {
        for (size_t i = 0; i < count; ++i) ctx.setOutput(i, ctx.dtype(0), std::nullopt);
        return;
    }
    const size_t axis =
        requireAxis(ctx, ctx.node().attribute<int64_t>("axis", 0), ctx.inputType(0).rank());
    const InferenceContext::Content parts = partsOf(ctx, (*input)[axis]);
    checkParts(ctx, parts, (*input)[axis]);
    for (size_t i = 0; i < count; ++i) {
        SymbolicShape output = *input;
        output[axis] = parts[i].toDim();
        ctx.setOutput(i, ctx.dtype(0), std::move(output));
    }
    splitContent(ctx, parts);
}

/// A slice of a symbolic dimension: known if it takes everything or a fixed part from the end.
Dim slicedDim(const Dim& dim, const SymbolicInt& start, const SymbolicInt& end, int64_t step) {
    if (dim.isNumber() && start.value && end.value) {
        return Dim::of(SliceRange::of(*start.value, *end.value, step, dim.value).count);
    }
    const bool fromStart = start.value == 0 && step == 1;
    constexpr int64_t kOpenEnd = std::numeric_limits<int32_t>::max();
    if (fromStart && end.value && *end.value >= kOpenEnd) return dim;
    if (fromStart && !end.value && dim.isSymbol() && end.symbol == dim.symbol) return dim;
    return Dim::unknown();
}

struct SymbolicSlice {
    InferenceContext::Content starts;
    InferenceContext::Content ends;
};

/// Starts and ends, some elements of which may be symbols.
std::optional<SymbolicSlice> symbolicSlice(const InferenceContext& ctx) {
    if (ctx.hasInput(1)) {
        const auto starts = ctx.content(1);
        const auto ends = ctx.content(2);
        if (!starts || !ends) return std::nullopt;
        return SymbolicSlice{*starts, *ends};
    }
    SymbolicSlice result;
    for (const int64_t v : ctx.node().attribute<std::vector<int64_t>>("starts", {})) {
        result.starts.push_back(SymbolicInt::of(v));
    }
    for (const int64_t v : ctx.node().attribute<std::vector<int64_t>>("ends", {})) {
        result.ends.push_back(SymbolicInt::of(v));
    }
    return result;
}

std::optional<SymbolicShape> slicedShape(const InferenceContext& ctx, const SymbolicShape& input) {
    const auto bounds = symbolicSlice(ctx);
    const auto axes = ctx.hasInput(1) && !ctx.hasInput(3) ? std::vector<int64_t>{} : ctx.axes(3);
    const auto steps = ctx.hasInput(4) ? ctx.integers(4) : std::vector<int64_t>{};
    if (!bounds || !axes || !steps) {
        // Without axes the first ones are sliced; with unknown ones, any may be.
        return unknownDims(input.size());
    }
    SliceParameters parameters;
    parameters.starts.resize(bounds->starts.size());
    parameters.ends.resize(bounds->ends.size());
    parameters.axes = *axes;
    parameters.steps = *steps;
    parameters.check();
    SymbolicShape result = input;
    for (size_t i = 0; i < bounds->starts.size(); ++i) {
        const auto axis =
            static_cast<size_t>(parameters.axisOf(i, static_cast<int64_t>(input.size())));
        result[axis] = slicedDim(input[axis], bounds->starts[i], bounds->ends[i],
                                 steps->empty() ? 1 : (*steps)[i]);
    }
    return result;
}

void sliceContent(InferenceContext& ctx) {
    const auto content = ctx.content(0);
    if (!content || ctx.inputType(0).rank() != 1) return;
    const auto parameters =
        SliceParameters::of(ctx.node(), 1, [&](size_t i) { return ctx.integers(i); });
    if (!parameters) return;
    const Shape shape = {static_cast<int64_t>(content->size())};
    const SliceRange range = parameters->ranges(shape).front();
    InferenceContext::Content result;
    for (int64_t i = 0; i < range.count; ++i) {
        result.push_back((*content)[static_cast<size_t>(range.start + i * range.step)]);
    }
    ctx.setContent(0, std::move(result));
}

void inferSlice(InferenceContext& ctx) {
    const auto& input = ctx.shape(0);
    ctx.setOutput(0, ctx.dtype(0), input ? slicedShape(ctx, *input) : std::nullopt);
    sliceContent(ctx);
}

void inferSliceGrad(InferenceContext& ctx) {
    ctx.setOutput(0, ctx.dtype(0), shapeFromInput(ctx, 1));
}

void inferPad(InferenceContext& ctx) {
    const auto& input = ctx.shape(0);
    if (!input) return ctx.setOutput(0, ctx.dtype(0), std::nullopt);
    const auto widths =
        PadWidths::of(ctx.node(), input->size(), [&](size_t i) { return ctx.integers(i); });
    SymbolicShape output = unknownDims(input->size());
    for (size_t i = 0; widths && i < input->size(); ++i) {
        const int64_t extra = widths->begin[i] + widths->end[i];
        if (extra == 0) output[i] = (*input)[i];
        if (!(*input)[i].isNumber()) continue;
        output[i] = sumOf((*input)[i], extra);
        if (!output[i].isNumber()) {
            ctx.fail("Pads " + std::to_string(widths->begin[i]) + " and " +
                     std::to_string(widths->end[i]) + " remove more elements than axis " +
                     std::to_string(i) + " of input " + formatShape(*input) + " has.");
        }
    }
    ctx.setOutput(0, ctx.dtype(0), std::move(output));
}

}  // namespace

void addJoinTypes(OpCatalog& catalog) {
    constexpr size_t kAny = std::numeric_limits<size_t>::max();
    const std::string ms(kMicrosoftDomain);
    constexpr auto kFamily = OperatorFamily::Arrangement;
    const OperatorFacts selects{.family = kFamily};
    catalog.add({"", "Concat", inferConcat, 1, kAny, {}}, {.family = kFamily, .keepsUnits = true});
    catalog.add({ms, "ConcatTraining", inferConcatTraining, 1, kAny, {}});
    catalog.add({"", "Split", inferSplit, 1, 2, {1}}, selects);
    catalog.add({ms, "SplitTraining", inferSplit, 2, 2, {1}});
    catalog.add({"", "Slice", inferSlice, 1, 5, {1, 2, 3, 4}}, selects);
    catalog.add({ms, "SliceGrad", inferSliceGrad, 4, 6, {1, 2, 3, 4, 5}});
    catalog.add({"", "Pad", inferPad, 1, 4, {1, 2, 3}}, {.family = kFamily, .keepsUnits = true});
}

}  // namespace temper
