// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/counted.h"
#include "engine/ops/shape/sequence_place.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/shape/slice_range.h"
#include "engine/ops/shape/strided_copy.h"
#include "engine/runtime/kernels/part_kernel.h"

namespace temper {
namespace {

size_t axisOf(const PrepareContext& context, int64_t fallback) {
    const auto rank = static_cast<int64_t>(context.input(0).shape.size());
    return static_cast<size_t>(
        normalizeAxis(context.node().attribute<int64_t>("axis", fallback), rank, "The axis"));
}

/// Copies between a part and its place, from `begin` on along `axis`, in the whole.
StridedCopy copyIntoPlace(size_t size, const Shape& part, const Shape& whole, size_t axis,
                          int64_t begin) {
    const Shape strides = stridesOf(whole);
    return {size, part, {0, stridesOf(part)}, {begin * strides[axis], strides}};
}

StridedCopy copyOutOfPlace(size_t size, const Shape& part, const Shape& whole, size_t axis,
                           int64_t begin) {
    const Shape strides = stridesOf(whole);
    return {size, part, {begin * strides[axis], strides}, {0, stridesOf(part)}};
}

/// A model may declare shapes that contradict each other if inference can't tell.
void requirePart(const PrepareContext& context, const Shape& part, Shape whole, size_t axis) {
    const bool fitsAlong = part.size() == whole.size() && part[axis] <= whole[axis];
    if (fitsAlong) whole[axis] = part[axis];
    if (fitsAlong && part == whole) return;
    context.fail(ErrorCode::InvalidInput, "A part has the shape " + formatShape(part) +
                                              " and the whole " + formatShape(whole) +
                                              "; expected shapes that differ along axis " +
                                              std::to_string(axis) + " only.");
}

struct PartCopies {
    std::vector<StridedCopy> copies;
    std::vector<int64_t> lengths;
};

/// Operand i is part i. Null if the parts are not contiguous in the whole.
std::unique_ptr<Kernel> makePartKernel(PartKernel::Direction direction,
                                       const std::vector<StridedCopy>& copies) {
    std::vector<PartKernel::Part> parts;
    for (const StridedCopy& copy : copies) {
        const auto block = copy.block();
        if (!block) return nullptr;
        const bool isOut = direction == PartKernel::Direction::OutOfWhole;
        parts.push_back({parts.size(), isOut ? block->from : block->to, block->bytes});
    }
    return std::make_unique<PartKernel>(direction, std::move(parts));
}

PartCopies concatCopies(const PrepareContext& context) {
    PartCopies result;
    const size_t size = elementSize(context, 0);
    const size_t axis = axisOf(context, 0);
    int64_t begin = 0;
    for (size_t i = 0; i < context.inputCount(); ++i) {
        const Shape& part = context.input(i).shape;
        requirePart(context, part, context.output(0).shape, axis);
        result.copies.push_back(copyIntoPlace(size, part, context.output(0).shape, axis, begin));
        result.lengths.push_back(part[axis]);
        begin += part[axis];
    }
    if (begin != context.output(0).shape[axis]) {
        context.fail(ErrorCode::InvalidInput,
                     "The parts have " + counted(begin, "element") + " in total; expected " +
                         std::to_string(context.output(0).shape[axis]) + ", as the output.");
    }
    return result;
}

std::unique_ptr<Kernel> makeConcat(const PrepareContext& context) {
    if (context.inputCount() == 1 && !context.hasOutput(1)) {
        return makeViewKernel();
    }
    PartCopies parts = concatCopies(context);
    if (!context.hasOutput(1)) {
        if (auto kernel = makePartKernel(PartKernel::Direction::IntoWhole, parts.copies))
            return kernel;
    }
    return makeKernel([parts = std::move(parts)](const RunContext& c) {
        for (size_t i = 0; i < parts.copies.size(); ++i) {
            parts.copies[i].run(c.in<std::byte>(i), c.out<std::byte>(0), c.pool());
        }
        if (int64_t* lengths = c.out<int64_t>(1)) {
            std::copy(parts.lengths.begin(), parts.lengths.end(), lengths);
        }
    });
}

/// The sizes of the parts are those of the outputs: type inference found them.
std::unique_ptr<Kernel> makeSplit(const PrepareContext& context) {
    const Shape& whole = context.input(0).shape;
    const size_t size = elementSize(context, 0);
    const size_t axis = axisOf(context, 0);
    std::vector<StridedCopy> parts;
    int64_t begin = 0;
    for (size_t i = 0; i < context.outputCount(); ++i) {
        if (!context.hasOutput(i)) {
            context.fail(ErrorCode::Unsupported,
                         "Output " + std::to_string(i) + " is omitted; expected all parts.");
        }
        const Shape& part = context.output(i).shape;
        requirePart(context, part, whole, axis);
        parts.push_back(copyOutOfPlace(size, part, whole, axis, begin));
        begin += part[axis];
    }
    if (begin != whole[axis]) {
        context.fail(ErrorCode::InvalidInput,
                     "The parts have " + counted(begin, "element") + " in total; expected " +
                         std::to_string(whole[axis]) + ", the split dimension.");
    }
    if (auto kernel = makePartKernel(PartKernel::Direction::OutOfWhole, parts)) return kernel;
    return makeKernel([parts = std::move(parts)](const RunContext& c) {
        for (size_t i = 0; i < parts.size(); ++i) {
            parts[i].run(c.in<std::byte>(0), c.out<std::byte>(i), c.pool());
        }
    });
}

/// As Split, but the parts are a sequence.
std::unique_ptr<Kernel> makeSplitToSequence(const PrepareContext& context) {
    const TensorType& whole = context.input(0);
    const size_t axis = axisOf(context, 0);
    const bool isGiven = context.hasInput(1);
    const bool isKept = isGiven || context.node().attribute<int64_t>("keepdims", 1) != 0;
    const std::vector<int64_t> sizes = isGiven ? context.integers(1) : std::vector<int64_t>{1};
    const bool isList = isGiven && context.input(1).shape.size() == 1;
    KernelTraits traits;
    std::vector<StridedCopy> parts;
    int64_t begin = 0;
    for (const int64_t length : partLengths(whole.shape[axis], sizes, isList)) {
        Shape part = whole.shape;
        part[axis] = length;
        parts.push_back(copyOutOfPlace(elementSize(context, 0), part, whole.shape, axis, begin));
        begin += length;
        if (!isKept) part.erase(part.begin() + static_cast<std::ptrdiff_t>(axis));
        traits.newElements.push_back({whole.dtype, std::move(part)});
    }
    return makeKernel(
        [parts = std::move(parts)](const RunContext& c) {
            for (size_t i = 0; i < parts.size(); ++i)
                parts[i].run(c.in<std::byte>(0), c.out<std::byte>(i), c.pool());
        },
        std::move(traits));
}

/// As Concat, of the tensors of a sequence; along a new axis, each of them has one element there.
std::unique_ptr<Kernel> makeConcatFromSequence(const PrepareContext& context) {
    const TensorType& whole = context.output(0);
    const auto axis =
        static_cast<size_t>(normalizeAxis(context.node().attribute<int64_t>("axis", 0),
                                          static_cast<int64_t>(whole.shape.size()), "The axis"));
    const bool isNew = context.node().attribute<int64_t>("new_axis", 0) != 0;
    std::vector<StridedCopy> parts;
    int64_t begin = 0;
    for (const TensorType& element : context.sequence(0)) {
        Shape part = element.shape;
        if (isNew) part.insert(part.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        parts.push_back(copyIntoPlace(dtypeSize(whole.dtype), part, whole.shape, axis, begin));
        begin += part[axis];
    }
    return makeKernel([parts = std::move(parts)](const RunContext& c) {
        for (size_t i = 0; i < parts.size(); ++i)
            parts[i].run(c.sequence<std::byte>(0, i), c.out<std::byte>(0), c.pool());
    });
}

struct SlicePlace {
    Shape counts;
    StridedView view;
};

SlicePlace placeOfSlice(const std::vector<SliceRange>& ranges, const Shape& whole) {
    const Shape strides = stridesOf(whole);
    SlicePlace place;
    for (size_t i = 0; i < ranges.size(); ++i) {
        place.counts.push_back(ranges[i].count);
        // The step to a second element is not taken if there is none, and may be of any size.
        const int64_t step = ranges[i].count > 1 ? ranges[i].step : 1;
        place.view.strides.push_back(strides[i] * step);
        if (ranges[i].count > 0) place.view.offset += strides[i] * ranges[i].start;
    }
    return place;
}

std::vector<SliceRange> sliceRanges(const PrepareContext& context, size_t firstInput,
                                    const Shape& whole) {
    const auto parameters = SliceParameters::of(
        context.node(), firstInput, [&](size_t i) { return std::optional(context.integers(i)); });
    return parameters->ranges(whole);
}

std::unique_ptr<Kernel> makeSlice(const PrepareContext& context) {
    const Shape& whole = context.input(0).shape;
    const SlicePlace place = placeOfSlice(sliceRanges(context, 1, whole), whole);
    return makeCopyKernel(context, StridedCopy(elementSize(context, 0), place.counts, place.view,
                                               {0, stridesOf(place.counts)}));
}

/// Inputs: dY, shape, starts, ends, axes, steps. Zeros with dY where the slice was.
std::unique_ptr<Kernel> makeSliceGrad(const PrepareContext& context) {
    const Shape& whole = context.output(0).shape;
    const SlicePlace place = placeOfSlice(sliceRanges(context, 2, whole), whole);
    if (place.counts != context.input(0).shape) {
        context.fail(ErrorCode::InvalidInput,
                     "The gradient has shape " + formatShape(context.input(0).shape) +
                         "; expected " + formatShape(place.counts) + ", that of the slice.");
    }
    const size_t size = elementSize(context, 0);
    const int64_t count = numElements(whole);
    const StridedCopy copy(size, place.counts, {0, stridesOf(place.counts)}, place.view);
    return makeKernel([=](const RunContext& c) {
        constexpr std::array<std::byte, 16> kZero{};
        fillElements(c.out<std::byte>(0), count, kZero.data(), size, c.pool());
        copy.run(c.in<std::byte>(0), c.out<std::byte>(0), c.pool());
    });
}

}  // namespace

void addJoinKernels(KernelRegistry& kernels) {
    kernels.add("", "Concat", makeConcat);
    kernels.add(kMicrosoftDomain, "ConcatTraining", makeConcat);
    kernels.add("", "Split", makeSplit);
    kernels.add(kMicrosoftDomain, "SplitTraining", makeSplit);
    kernels.add("", "SplitToSequence", makeSplitToSequence);
    kernels.add("", "ConcatFromSequence", makeConcatFromSequence);
    kernels.add("", "Slice", makeSlice);
    kernels.add(kMicrosoftDomain, "SliceGrad", makeSliceGrad);
}

}  // namespace temper
