// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/shape/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "engine/core/counted.h"
#include "engine/runtime/kernels/part_kernel.h"

namespace temper {
namespace {

constexpr int64_t kTile = 32;

/// Calls f with the element size as a constant, so that single copies become one instruction.
template <typename F>
void withSize(size_t elementSize, F&& f) {
    switch (elementSize) {
        case 1: return f.template operator()<1>();
        case 2: return f.template operator()<2>();
        case 4: return f.template operator()<4>();
        case 8: return f.template operator()<8>();
        default: return f.template operator()<16>();
    }
}

template <size_t kSize>
void copyRow(const std::byte* from, int64_t fromStride, std::byte* to, int64_t toStride,
             int64_t count) {
    constexpr auto kStep = static_cast<int64_t>(kSize);
    if (fromStride == kStep && toStride == kStep) {
        std::memcpy(to, from, static_cast<size_t>(count) * kSize);
        return;
    }
    if (toStride == kStep) {
        for (int64_t i = 0; i < count; ++i) {
            std::memcpy(to + i * kStep, from + i * fromStride, kSize);
        }
        return;
    }
    for (int64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * toStride, from + i * fromStride, kSize);
    }
}

}  // namespace

/// A place in the outer axes, advanced by one row at a time.
struct StridedCopy::Cursor {
    std::span<const Axis> axes;
    std::array<int64_t, kMaxRank> index{};
    int64_t from = 0;
    int64_t to = 0;

    Cursor(std::span<const Axis> outer, int64_t position) : axes(outer) {
        for (size_t i = axes.size(); i-- > 0;) {
            index[i] = position % axes[i].count;
            position /= axes[i].count;
            from += index[i] * axes[i].from;
            to += index[i] * axes[i].to;
        }
    }

    void next() {
        for (size_t i = axes.size(); i-- > 0;) {
            from += axes[i].from;
            to += axes[i].to;
            if (++index[i] < axes[i].count) return;
            from -= axes[i].count * axes[i].from;
            to -= axes[i].count * axes[i].to;
            index[i] = 0;
        }
    }
};

StridedCopy::StridedCopy(size_t elementSize, std::span<const int64_t> shape,
                         const StridedView& from, const StridedView& to)
    : elementSize_(elementSize) {
    TEMPER_ASSERT(from.strides.size() == shape.size() && to.strides.size() == shape.size(),
                  "the views have the rank of the tensor");
    const auto size = static_cast<int64_t>(elementSize);
    fromOffset_ = from.offset * size;
    toOffset_ = to.offset * size;
    for (size_t i = 0; i < shape.size(); ++i) {
        count_ *= shape[i];
        addAxis({shape[i], from.strides[i] * size, to.strides[i] * size});
    }
    if (axes_.empty()) axes_.push_back({1, size, size});
    if (axes_.size() > kMaxRank) {
        throw Error(ErrorCode::Unsupported, "A copy of " + counted(axes_.size(), "axis", "axes") +
                                                " is not supported; expected at most " +
                                                std::to_string(kMaxRank) + ".");
    }
    arrangeTiles();
}

void StridedCopy::addAxis(const Axis& axis) {
    if (axis.count == 1) return;
    if (!axes_.empty()) {
        Axis& outer = axes_.back();
        if (outer.from == axis.from * axis.count && outer.to == axis.to * axis.count) {
            outer = {outer.count * axis.count, axis.from, axis.to};
            return;
        }
    }
    axes_.push_back(axis);
}

/// If the source is contiguous along another axis than the target, that axis becomes the second to
/// last, and both are traversed in tiles.
void StridedCopy::arrangeTiles() {
    const auto size = static_cast<int64_t>(elementSize_);
    if (axes_.size() < 2 || axes_.back().to != size || axes_.back().from == size) return;
    const auto source = std::find_if(axes_.begin(), axes_.end() - 1,
                                     [&](const Axis& axis) { return axis.from == size; });
    if (source == axes_.end() - 1 || source->count < 4 || axes_.back().count < 4) return;
    std::rotate(source, source + 1, axes_.end() - 1);
    isTiled_ = true;
}

bool StridedCopy::isIdentity() const {
    const auto size = static_cast<int64_t>(elementSize_);
    return fromOffset_ == 0 && toOffset_ == 0 && axes_.size() == 1 && axes_[0].from == size &&
           axes_[0].to == size;
}

std::optional<StridedCopy::Block> StridedCopy::block() const {
    const auto size = static_cast<int64_t>(elementSize_);
    if (axes_.size() != 1 || axes_[0].from != size || axes_[0].to != size) return std::nullopt;
    return Block{static_cast<size_t>(fromOffset_), static_cast<size_t>(toOffset_),
                 static_cast<size_t>(count_) * elementSize_};
}

int64_t StridedCopy::outerCount(size_t innerAxes) const {
    int64_t count = 1;
    for (size_t i = 0; i + innerAxes < axes_.size(); ++i) count *= axes_[i].count;
    return count;
}

void StridedCopy::run(const void* from, void* to, ThreadPool& pool) const {
    if (count_ == 0) return;
    const auto* source = static_cast<const std::byte*>(from) + fromOffset_;
    auto* target = static_cast<std::byte*>(to) + toOffset_;
    if (isTiled_) {
        copyTiles(source, target, pool);
    } else {
        copyRows(source, target, pool);
    }
}

void StridedCopy::copyRows(const std::byte* from, std::byte* to, ThreadPool& pool) const {
    const Axis& inner = axes_.back();
    const std::span<const Axis> outer(axes_.data(), axes_.size() - 1);
    const int64_t rows = outerCount(1);
    const int64_t perTask = kBytesPerTask / static_cast<int64_t>(elementSize_);
    withSize(elementSize_, [&]<size_t kSize>() {
        if (inner.count <= perTask) {
            pool.forRanges(rows, perTask / inner.count, [&](int64_t begin, int64_t end) {
                Cursor row(outer, begin);
                for (int64_t i = begin; i < end; ++i, row.next()) {
                    copyRow<kSize>(from + row.from, inner.from, to + row.to, inner.to, inner.count);
                }
            });
            return;
        }
        const int64_t pieces = (inner.count + perTask - 1) / perTask;
        pool.forEach(rows * pieces, [&](int64_t item) {
            const Cursor row(outer, item / pieces);
            const int64_t first = item % pieces * perTask;
            copyRow<kSize>(from + row.from + first * inner.from, inner.from,
                           to + row.to + first * inner.to, inner.to,
                           std::min(perTask, inner.count - first));
        });
    });
}

void StridedCopy::copyTiles(const std::byte* from, std::byte* to, ThreadPool& pool) const {
    const Axis& line = axes_[axes_.size() - 2];  // contiguous in the source
    const Axis& inner = axes_.back();            // contiguous in the target
    const std::span<const Axis> outer(axes_.data(), axes_.size() - 2);
    const int64_t strips = (line.count + kTile - 1) / kTile;
    const int64_t stripBytes = kTile * inner.count * static_cast<int64_t>(elementSize_);
    const int64_t grain = std::max<int64_t>(1, kBytesPerTask / stripBytes);
    withSize(elementSize_, [&]<size_t kSize>() {
        constexpr auto kStep = static_cast<int64_t>(kSize);
        const auto copyStrip = [&](int64_t item) {
            const Cursor block(outer, item / strips);
            const int64_t first = item % strips * kTile;
            const int64_t last = std::min(first + kTile, line.count);
            for (int64_t column = 0; column < inner.count; column += kTile) {
                const int64_t width = std::min(kTile, inner.count - column);
                for (int64_t i = first; i < last; ++i) {
                    copyRow<kSize>(from + block.from + i * kStep + column * inner.from, inner.from,
                                   to + block.to + i * line.to + column * kStep, kStep, width);
                }
            }
        };
        pool.forRanges(outerCount(2) * strips, grain, [&](int64_t begin, int64_t end) {
            for (int64_t item = begin; item < end; ++item) copyStrip(item);
        });
    });
}

std::unique_ptr<Kernel> makeViewKernel() {
    return makeKernel([](const RunContext&) {}, {.views = {{0, 0}}});
}

std::unique_ptr<Kernel> makeCopyKernel(const PrepareContext& context, StridedCopy copy) {
    if (copy.isIdentity() && context.input(0).byteSize() == context.output(0).byteSize()) {
        return makeViewKernel();
    }
    if (const auto block = copy.block(); block && block->to == 0) {
        return std::make_unique<PartKernel>(
            PartKernel::Direction::OutOfWhole,
            std::vector<PartKernel::Part>{{0, block->from, block->bytes}});
    }
    return makeKernel([copy = std::move(copy)](const RunContext& run) {
        copy.run(run.in<std::byte>(0), run.out<std::byte>(0), run.pool());
    });
}

size_t elementSize(const PrepareContext& context, size_t input) {
    return dtypeSize(context.input(input).dtype);
}

void fillElements(void* to, int64_t count, const void* value, size_t elementSize,
                  ThreadPool& pool) {
    auto* target = static_cast<std::byte*>(to);
    withSize(elementSize, [&]<size_t kSize>() {
        constexpr auto kStep = static_cast<int64_t>(kSize);
        pool.forRanges(count, kBytesPerTask / kStep, [&](int64_t begin, int64_t end) {
            std::array<std::byte, kSize> element;
            std::memcpy(element.data(), value, kSize);
            for (int64_t i = begin; i < end; ++i) {
                std::memcpy(target + i * kStep, element.data(), kSize);
            }
        });
    });
}

}  // namespace temper
