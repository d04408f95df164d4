// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "engine/ops/shape/pad_widths.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/shape/strided_copy.h"

namespace temper {
namespace {

using Element = std::array<std::byte, 16>;

PadWidths widthsOf(const PrepareContext& context) {
    const auto widths = PadWidths::of(context.node(), context.input(0).shape.size(),
                                      [&](size_t i) { return std::optional(context.integers(i)); });
    return widths ? *widths : PadWidths{};
}

/// The attribute `value` (opset 2 to 10) as an element; zero if there is none.
Element elementOfAttribute(const PrepareContext& context) {
    Element element{};
    const auto value = context.node().attribute<float>("value", 0.0F);
    if (value == 0) return element;
    const Tensor converted = Tensor::scalar(value).cast(context.input(0).dtype);
    std::memcpy(element.data(), converted.data(), converted.byteSize());
    return element;
}

/// What remains of the input after negative pads, and where it goes.
StridedCopy copyOfInterior(size_t size, const Shape& input, const Shape& output,
                           const PadWidths& widths) {
    StridedView from{0, stridesOf(input)};
    StridedView to{0, stridesOf(output)};
    Shape counts;
    for (size_t i = 0; i < input.size(); ++i) {
        const int64_t cutBegin = std::max<int64_t>(0, -widths.begin[i]);
        const int64_t cutEnd = std::max<int64_t>(0, -widths.end[i]);
        counts.push_back(std::max<int64_t>(0, input[i] - cutBegin - cutEnd));
        from.offset += from.strides[i] * cutBegin;
        to.offset += to.strides[i] * std::max<int64_t>(0, widths.begin[i]);
    }
    return {size, counts, from, to};
}

std::unique_ptr<Kernel> makeConstantPad(const PrepareContext& context) {
    const Shape& output = context.output(0).shape;
    const size_t size = elementSize(context, 0);
    const StridedCopy copy =
        copyOfInterior(size, context.input(0).shape, output, widthsOf(context));
    if (copy.isIdentity() && context.input(0).shape == output) {
        return makeViewKernel();
    }
    const Element fallback = elementOfAttribute(context);
    const int64_t count = numElements(output);
    return makeKernel([=](const RunContext& c) {
        const auto* value = c.in<std::byte>(2);
        fillElements(c.out<std::byte>(0), count, value == nullptr ? fallback.data() : value, size,
                     c.pool());
        copy.run(c.in<std::byte>(0), c.out<std::byte>(0), c.pool());
    });
}

/// For each axis, the byte offsets in the input of the output's positions.
std::vector<std::vector<int64_t>> sourceOffsets(const PrepareContext& context, PadMode mode) {
    const Shape& input = context.input(0).shape;
    const Shape strides = stridesOf(input);
    const PadWidths widths = widthsOf(context);
    const auto size = static_cast<int64_t>(elementSize(context, 0));
    std::vector<std::vector<int64_t>> offsets(input.size());
    for (size_t axis = 0; axis < input.size(); ++axis) {
        const int64_t length = context.output(0).shape[axis];
        const int64_t kept = input[axis] + std::min<int64_t>(0, widths.begin[axis]) +
                             std::min<int64_t>(0, widths.end[axis]);
        if (length > 0 && kept <= 0) {
            context.fail(
                ErrorCode::InvalidInput,
                "Axis " + std::to_string(axis) + " has no elements for the padding to repeat.");
        }
        for (int64_t i = 0; i < length; ++i) {
            offsets[axis].push_back(widths.source(mode, axis, i, input[axis]) * strides[axis] *
                                    size);
        }
    }
    return offsets;
}

void copyRepeatedRow(const std::vector<std::vector<int64_t>>& offsets, int64_t row, size_t size,
                     const std::byte* from, std::byte* to) {
    const std::vector<int64_t>& inner = offsets.back();
    std::byte* target = to + row * static_cast<int64_t>(inner.size() * size);
    for (size_t axis = offsets.size() - 1; axis-- > 0;) {
        const auto count = static_cast<int64_t>(offsets[axis].size());
        from += offsets[axis][static_cast<size_t>(row % count)];
        row /= count;
    }
    for (const int64_t offset : inner) {
        std::memcpy(target, from + offset, size);
        target += size;
    }
}

/// Reflect, edge and wrap: each output element is an input element.
std::unique_ptr<Kernel> makeRepeatingPad(const PrepareContext& context, PadMode mode) {
    const Shape& output = context.output(0).shape;
    if (output.empty()) return makeViewKernel();
    const size_t size = elementSize(context, 0);
    const int64_t rows = output.back() == 0 ? 0 : numElements(output) / output.back();
    const int64_t rowBytes = std::max<int64_t>(1, output.back() * static_cast<int64_t>(size));
    return makeKernel([=, offsets = sourceOffsets(context, mode)](const RunContext& c) {
        c.pool().forRanges(
            rows, std::max<int64_t>(1, kBytesPerTask / rowBytes), [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                    copyRepeatedRow(offsets, row, size, c.in<std::byte>(0), c.out<std::byte>(0));
                }
            });
    });
}

std::unique_ptr<Kernel> makePad(const PrepareContext& context) {
    const PadMode mode = padMode(context.node());
    return mode == PadMode::Constant ? makeConstantPad(context) : makeRepeatingPad(context, mode);
}

}  // namespace

void addPadKernels(KernelRegistry& kernels) { kernels.add("", "Pad", makePad); }

}  // namespace temper
