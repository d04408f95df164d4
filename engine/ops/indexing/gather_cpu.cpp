// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/ops/indexing/axis_lines.h"
#include "engine/ops/indexing/index_tuples.h"
#include "engine/ops/indexing/indexing.h"
#include "engine/ops/shape/strided_copy.h"
#include "engine/ops/visit_types_cpu.h"
#include "engine/runtime/kernels/part_kernel.h"

namespace temper {
namespace {

/// Copies blocks of `kSize` bytes, or of `size` bytes if kSize is 0.
template <size_t kSize>
void copyBlock(std::byte* to, const std::byte* from, size_t size) {
    std::memcpy(to, from, kSize == 0 ? size : kSize);
}

template <typename F>
void withBlockSize(size_t size, F&& f) {
    if (size == 4) return f.template operator()<4>();
    if (size == 8) return f.template operator()<8>();
    f.template operator()<0>();
}

int64_t tasksOf(size_t bytes) {
    return std::max<int64_t>(1, kBytesPerTask / static_cast<int64_t>(std::max<size_t>(bytes, 1)));
}

/// One block, at a known index: a part of the data. Null if it is out of range, which the kernel
/// for any indices reports.
std::unique_ptr<Kernel> makeGatherOfPart(const PrepareContext& context, int64_t length,
                                         size_t block) {
    int64_t row = context.integers(1).front();
    if (row < 0) row += length;
    if (row < 0 || row >= length) return nullptr;
    return std::make_unique<PartKernel>(
        PartKernel::Direction::OutOfWhole,
        std::vector<PartKernel::Part>{{0, static_cast<size_t>(row) * block, block}});
}

/// Data as [outer, length, block], indices as [count]; the output is [outer, count, block].
template <typename Index>
std::unique_ptr<Kernel> makeTypedGather(const PrepareContext& context) {
    const Shape& data = context.input(0).shape;
    const auto axis =
        static_cast<size_t>(normalizeAxis(context.node().attribute<int64_t>("axis", 0),
                                          static_cast<int64_t>(data.size()), "The axis"));
    const std::span<const int64_t> dims(data);
    const int64_t outer = numElements(dims.first(axis));
    const int64_t length = data[axis];
    const int64_t count = context.input(1).numElements();
    const size_t block =
        static_cast<size_t>(numElements(dims.subspan(axis + 1))) * elementSize(context, 0);
    if (outer == 1 && count == 1 && context.constant(1) != nullptr) {
        if (auto kernel = makeGatherOfPart(context, length, block)) return kernel;
    }
    return makeKernel([=](const RunContext& c) {
        const auto* from = c.in<std::byte>(0);
        auto* to = c.out<std::byte>(0);
        const auto* indices = c.in<Index>(1);
        withBlockSize(block, [&]<size_t kSize>() {
            c.pool().forRanges(outer * count, tasksOf(block), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    const int64_t row = positionOf(indices[i % count], length);
                    const auto source = static_cast<size_t>(i / count * length + row);
                    copyBlock<kSize>(to + static_cast<size_t>(i) * block, from + source * block,
                                     block);
                }
            });
        });
    });
}

template <typename Index>
std::unique_ptr<Kernel> makeTypedGatherElements(const PrepareContext& context) {
    const AxisLines lines(context.input(1).shape, context.input(0).shape,
                          context.node().attribute<int64_t>("axis", 0));
    const size_t size = elementSize(context, 0);
    return makeKernel([=](const RunContext& c) {
        const auto* from = c.in<std::byte>(0);
        auto* to = c.out<std::byte>(0);
        const auto gatherLine = [&](int64_t line) {
            const AxisLines::Start start = lines.start(line);
            for (int64_t i = 0; i < lines.length(); ++i) {
                const int64_t place = start.index + i * lines.indexStride();
                const int64_t row =
                    positionOf(static_cast<int64_t>(c.in<Index>(1)[place]), lines.dataLength());
                const int64_t source = start.data + row * lines.dataStride();
                std::memcpy(to + static_cast<size_t>(place) * size,
                            from + static_cast<size_t>(source) * size, size);
            }
        };
        c.pool().forRanges(lines.count(), tasksOf(static_cast<size_t>(lines.length()) * size),
                           [&](int64_t begin, int64_t end) {
                               for (int64_t line = begin; line < end; ++line) gatherLine(line);
                           });
    });
}

template <typename Index>
std::unique_ptr<Kernel> makeTypedGatherND(const PrepareContext& context) {
    const IndexTuples tuples(context.input(1).shape, context.input(0).shape,
                             context.node().attribute<int64_t>("batch_dims", 0));
    const size_t size = elementSize(context, 0);
    const size_t block = static_cast<size_t>(tuples.sliceCount()) * size;
    return makeKernel([=](const RunContext& c) {
        const auto* from = c.in<std::byte>(0);
        auto* to = c.out<std::byte>(0);
        if (block == 0) return;
        c.pool().forRanges(tuples.count(), tasksOf(block), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const auto source = static_cast<size_t>(tuples.offset(c.in<Index>(1), i));
                std::memcpy(to + static_cast<size_t>(i) * block, from + source * size, block);
            }
        });
    });
}

}  // namespace

void addGatherKernels(KernelRegistry& kernels) {
    const auto gather = [](const PrepareContext& context) {
        return visitIndex(context, context.input(1).dtype,
                          [&]<typename Index>() { return makeTypedGather<Index>(context); });
    };
    kernels.add("", "Gather", gather);
    kernels.add(kMicrosoftDomain, "ShrunkenGather", gather);
    kernels.add("", "GatherElements", [](const PrepareContext& context) {
        return visitIndex(context, context.input(1).dtype, [&]<typename Index>() {
            return makeTypedGatherElements<Index>(context);
        });
    });
    kernels.add("", "GatherND", [](const PrepareContext& context) {
        return visitIndex(context, context.input(1).dtype,
                          [&]<typename Index>() { return makeTypedGatherND<Index>(context); });
    });
}

}  // namespace temper
