// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "engine/ops/channel_blocks_cpu.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/shape/strided_copy.h"
#include "engine/runtime/kernels/reorderable_kernel.h"

namespace temper {
namespace {

/// Reshape and its kin: the same bytes with another shape.
std::unique_ptr<Kernel> makeView(const PrepareContext& context) {
    if (context.input(0).byteSize() != context.output(0).byteSize()) {
        context.fail(ErrorCode::InvalidInput, "Input " + formatShape(context.input(0).shape) +
                                                  " can't be reshaped to " +
                                                  formatShape(context.output(0).shape) +
                                                  ": the numbers of elements differ.");
    }
    return makeViewKernel();
}

std::unique_ptr<Kernel> makeTranspose(const PrepareContext& context) {
    const Shape& input = context.input(0).shape;
    std::vector<int64_t> permutation(input.size());
    std::iota(permutation.rbegin(), permutation.rend(), 0);
    permutation = context.node().attribute("perm", permutation);
    const Shape strides = stridesOf(input);
    StridedView from;
    std::vector<size_t> axes;
    for (const int64_t axis : permutation) {
        axes.push_back(static_cast<size_t>(
            normalizeAxis(axis, static_cast<int64_t>(input.size()), "An axis of Transpose")));
        from.strides.push_back(strides.at(axes.back()));
    }
    const Shape& output = context.output(0).shape;
    const StridedCopy copy(elementSize(context, 0), output, from, {0, stridesOf(output)});
    if (copy.isIdentity()) return makeCopyKernel(context, copy);
    return std::make_unique<TransposeKernel>(input, std::move(axes), makeCopyKernel(context, copy));
}

template <typename Element>
void copyRow(const Element* from, bool isNumber, Element* to, int64_t count) {
    if (!isNumber) {
        std::copy(from, from + count, to);
    } else if constexpr (std::is_same_v<Element, float>) {
        simd::fill(*from, to, count);
    } else {
        std::fill(to, to + count, *from);
    }
}

template <typename Element>
std::unique_ptr<Kernel> expandedRows(RowForm form, bool isNumber) {
    return makeRowKernel(std::move(form),
                         [isNumber](const void* const* inputs, void* output, int64_t count) {
                             copyRow(static_cast<const Element*>(inputs[0]), isNumber,
                                     static_cast<Element*>(output), count);
                         },
                         {});
}

/// Row by row, so that a plan need not make the copies; null for rows that don't repeat evenly.
template <typename Element>
std::unique_ptr<Kernel> makeExpandOf(const PrepareContext& context) {
    const auto plan = broadcastPlan<1>(context);
    auto form = broadcastForm(context, plan, kMapGrain);
    if (!form) return nullptr;
    return expandedRows<Element>(*std::move(form), plan.isNumber(0));
}

std::unique_ptr<Kernel> makeExpandedRows(const PrepareContext& context) {
    if (context.input(0).numElements() == context.output(0).numElements()) return nullptr;
    switch (elementSize(context, 0)) {
        case 1: return makeExpandOf<uint8_t>(context);
        case 4: return makeExpandOf<float>(context);
        case 8: return makeExpandOf<uint64_t>(context);
        default: return nullptr;
    }
}

/// Each channel of images [N, C, H, W] becomes a number.
std::unique_ptr<Kernel> makeExpandedPlanes(const PrepareContext& context) {
    const Shape& images = context.output(0).shape;
    if (context.output(0).dtype != DType::Float32 || !mayBeBlocked(images) ||
        images[2] * images[3] == 1 || context.input(0).shape != Shape{images[0], images[1], 1, 1}) {
        return nullptr;
    }
    const auto form = broadcastForm(context, broadcastPlan<1>(context), kMapGrain);
    return makeBlockable(context, {0, 0b1}, true, [=](BlockedOperands blocked) {
        if (blocked.isEmpty()) return expandedRows<float>(*form, true);
        return makeKernel(
            [images, strips = simd::PixelStrips(images)](const RunContext& c) {
                float* y = c.out<float>(0);
                strips.forEach(c.pool(), [&](int64_t n, int64_t block, int64_t at, int64_t pixels) {
                    const int64_t channel = n * images[1] + block * kChannelBlock;
                    simd::fillPixels(c.in<float>(0) + channel, y + at, pixels);
                    c.finished(at, at + pixels * kChannelBlock);
                });
            },
            {}, {.finishesParts = true});
    });
}

std::unique_ptr<Kernel> makeExpand(const PrepareContext& context) {
    if (auto planes = makeExpandedPlanes(context)) return planes;
    if (auto rows = makeExpandedRows(context)) return rows;
    const Shape& input = context.input(0).shape;
    const Shape& output = context.output(0).shape;
    const Shape strides = stridesOf(input);
    StridedView from{0, std::vector<int64_t>(output.size(), 0)};
    const size_t missing = output.size() - input.size();
    for (size_t i = 0; i < input.size(); ++i) {
        if (input[i] != 1) from.strides[missing + i] = strides[i];
    }
    return makeCopyKernel(
        context, StridedCopy(elementSize(context, 0), output, from, {0, stridesOf(output)}));
}

/// Each axis becomes two, repetition and position: [r0, d0, r1, d1, ...].
std::unique_ptr<Kernel> makeTile(const PrepareContext& context) {
    const Shape& input = context.input(0).shape;
    const Shape& output = context.output(0).shape;
    const Shape fromStrides = stridesOf(input);
    const Shape toStrides = stridesOf(output);
    Shape shape;
    StridedView from;
    StridedView to;
    for (size_t i = 0; i < input.size(); ++i) {
        const int64_t repeats = input[i] == 0 ? 0 : output[i] / input[i];
        shape.insert(shape.end(), {repeats, input[i]});
        from.strides.insert(from.strides.end(), {0, fromStrides[i]});
        to.strides.insert(to.strides.end(), {toStrides[i] * input[i], toStrides[i]});
    }
    return makeCopyKernel(context, StridedCopy(elementSize(context, 0), shape, from, to));
}

/// Copies blocks[i] of `blocked`, a view of the input as 6 axes, permuted, to the output.
std::unique_ptr<Kernel> makeBlockPermutation(const PrepareContext& context, const Shape& blocked,
                                             const std::vector<size_t>& permutation) {
    const Shape strides = stridesOf(blocked);
    Shape shape;
    StridedView from;
    for (const size_t axis : permutation) {
        shape.push_back(blocked[axis]);
        from.strides.push_back(strides[axis]);
    }
    return makeCopyKernel(context,
                          StridedCopy(elementSize(context, 0), shape, from, {0, stridesOf(shape)}));
}

/// Whether the places of a block come before the channels (DCR), or after them (CRD).
bool isDepthFirst(const PrepareContext& context) {
    const auto mode = context.node().attribute<std::string>("mode", "DCR");
    if (mode == "DCR" || mode == "CRD") return mode == "DCR";
    context.fail(ErrorCode::InvalidInput, "Mode '" + mode + "'; expected 'DCR' or 'CRD'.");
}

std::unique_ptr<Kernel> makeDepthToSpace(const PrepareContext& context) {
    const Shape& x = context.input(0).shape;
    const int64_t block = context.node().attribute<int64_t>("blocksize", 1);
    const int64_t channels = x[1] / (block * block);
    if (isDepthFirst(context)) {
        return makeBlockPermutation(context, {x[0], block, block, channels, x[2], x[3]},
                                    {0, 3, 4, 1, 5, 2});
    }
    return makeBlockPermutation(context, {x[0], channels, block, block, x[2], x[3]},
                                {0, 1, 4, 2, 5, 3});
}

std::unique_ptr<Kernel> makeSpaceToDepth(const PrepareContext& context) {
    const Shape& x = context.input(0).shape;
    const int64_t block = context.node().attribute<int64_t>("blocksize", 1);
    const std::vector<size_t> order = isDepthFirst(context) ? std::vector<size_t>{0, 3, 5, 1, 2, 4}
                                                            : std::vector<size_t>{0, 1, 3, 5, 2, 4};
    return makeBlockPermutation(context, {x[0], x[1], x[2] / block, block, x[3] / block, block},
                                order);
}

struct TriangleRows {
    int64_t rows;
    int64_t columns;
    size_t elementSize;
    bool upper;

    /// Keeps columns [begin, end) of matrix row `row` for diagonal `k`.
    std::pair<int64_t, int64_t> kept(int64_t row, int64_t k) const {
        const int64_t diagonal = std::clamp<int64_t>(row + k + (upper ? 0 : 1), 0, columns);
        return upper ? std::pair(diagonal, columns) : std::pair(int64_t{0}, diagonal);
    }

    void copy(int64_t row, int64_t k, const std::byte* from, std::byte* to) const {
        const auto [begin, end] = kept(row % rows, k);
        const int64_t start = row * columns;
        const auto bytes = [&](int64_t count) { return static_cast<size_t>(count) * elementSize; };
        std::memset(to + bytes(start), 0, bytes(begin));
        std::memmove(to + bytes(start + begin), from + bytes(start + begin), bytes(end - begin));
        std::memset(to + bytes(start + end), 0, bytes(columns - end));
    }
};

std::unique_ptr<Kernel> makeTrilu(const PrepareContext& context) {
    const TensorType& x = context.input(0);
    if (x.shape.size() < 2) {
        context.fail(ErrorCode::InvalidInput,
                     "Input has shape " + formatShape(x.shape) + "; expected rank 2 or more.");
    }
    if (context.hasInput(1)) context.requireDType(1, DType::Int64);
    const TriangleRows triangle{x.shape[x.shape.size() - 2], x.shape.back(),
                                elementSize(context, 0),
                                context.node().attribute<int64_t>("upper", 1) != 0};
    const int64_t rows = triangle.columns == 0 ? 0 : x.numElements() / triangle.columns;
    const int64_t rowBytes =
        std::max<int64_t>(1, triangle.columns * static_cast<int64_t>(triangle.elementSize));
    const auto run = [=](const RunContext& c) {
        const int64_t* k = c.in<int64_t>(1);
        const int64_t diagonal =
            k == nullptr ? 0 : std::clamp(*k, -triangle.rows, triangle.columns);
        c.pool().forRanges(
            rows, std::max<int64_t>(1, kBytesPerTask / rowBytes), [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                    triangle.copy(row, diagonal, c.in<std::byte>(0), c.out<std::byte>(0));
                }
            });
    };
    return makeKernel(run, {.mayShare = {{0, 0}}});
}

std::unique_ptr<Kernel> makeReverseSequence(const PrepareContext& context) {
    const Shape& x = context.input(0).shape;
    const int64_t batchAxis = context.node().attribute<int64_t>("batch_axis", 1);
    const int64_t timeAxis = context.node().attribute<int64_t>("time_axis", 0);
    if (x.size() < 2 || batchAxis + timeAxis != 1 || batchAxis * timeAxis != 0) {
        context.fail(ErrorCode::Unsupported, "Axes " + std::to_string(batchAxis) + " (batch) and " +
                                                 std::to_string(timeAxis) + " (time) of input " +
                                                 formatShape(x) + "; expected 0 and 1 or 1 and 0.");
    }
    context.requireDType(1, DType::Int64);
    const bool timeFirst = timeAxis == 0;
    const Shape outer = {x[0], x[1]};
    const int64_t pairs = x[0] * x[1];
    const auto bytes = static_cast<int64_t>(context.input(0).byteSize());
    const int64_t block = pairs == 0 ? 0 : bytes / pairs;
    const int64_t times = outer[timeFirst ? 0 : 1];
    return makeKernel([=](const RunContext& c) {
        const int64_t second = outer[1];
        c.pool().forRanges(
            pairs, std::max<int64_t>(1, kBytesPerTask / std::max<int64_t>(1, block)),
            [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    const int64_t time = timeFirst ? i / second : i % second;
                    const int64_t batch = timeFirst ? i % second : i / second;
                    const int64_t length = std::clamp<int64_t>(c.in<int64_t>(1)[batch], 0, times);
                    const int64_t source = time < length ? length - 1 - time : time;
                    const int64_t from =
                        timeFirst ? source * second + batch : batch * second + source;
                    std::memcpy(c.out<std::byte>(0) + i * block, c.in<std::byte>(0) + from * block,
                                static_cast<size_t>(block));
                }
            });
    });
}

}  // namespace

void addReshapeKernels(KernelRegistry& kernels) {
    for (const char* op : {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}) {
        kernels.add("", op, makeView);
    }
    kernels.add("", "Transpose", makeTranspose);
    kernels.add("", "Expand", makeExpand);
    kernels.add("", "Tile", makeTile);
    kernels.add("", "DepthToSpace", makeDepthToSpace);
    kernels.add("", "SpaceToDepth", makeSpaceToDepth);
    kernels.add("", "Trilu", makeTrilu);
    kernels.add(kMicrosoftDomain, "Trilu", makeTrilu);
    kernels.add("", "ReverseSequence", makeReverseSequence);
}

}  // namespace temper
