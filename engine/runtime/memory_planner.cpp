// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/memory_planner.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace temper {
namespace {

size_t aligned(size_t bytes) {
    return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

bool overlaps(const Lifetime& a, const Lifetime& b) {
    return a.first <= b.last && b.first <= a.last;
}

/// The placed buffers, by offset.
class Placement {
public:
    Placement(std::span<const Lifetime> lifetimes, MemoryLayout& layout)
        : lifetimes_(lifetimes), layout_(layout) {}

    void place(size_t index) {
        const size_t offset = smallestGap(index);
        layout_.offsets[index] = offset;
        layout_.bytes = std::max(layout_.bytes, offset + aligned(lifetimes_[index].bytes));
        const auto behind = std::upper_bound(
            byOffset_.begin(), byOffset_.end(), offset,
            [this](size_t value, size_t other) { return value < layout_.offsets[other]; });
        byOffset_.insert(behind, index);
    }

private:
    /// Behind the buffers alive at the same time where no gap between them is large enough.
    size_t smallestGap(size_t index) const {
        const size_t wanted = aligned(lifetimes_[index].bytes);
        size_t end = 0;
        size_t best = 0;
        size_t bestSize = std::numeric_limits<size_t>::max();
        for (const size_t other : byOffset_) {
            if (!overlaps(lifetimes_[index], lifetimes_[other])) continue;
            const size_t begin = layout_.offsets[other];
            if (begin > end && begin - end >= wanted && begin - end < bestSize) {
                best = end;
                bestSize = begin - end;
            }
            end = std::max(end, begin + aligned(lifetimes_[other].bytes));
        }
        return bestSize == std::numeric_limits<size_t>::max() ? end : best;
    }

    std::span<const Lifetime> lifetimes_;
    MemoryLayout& layout_;
    std::vector<size_t> byOffset_;
};

}  // namespace

MemoryLayout planMemory(std::span<const Lifetime> lifetimes) {
    std::vector<size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
    MemoryLayout layout;
    layout.offsets.resize(lifetimes.size());
    Placement placement(lifetimes, layout);
    for (const size_t index : order) {
        if (lifetimes[index].bytes > 0) placement.place(index);
    }
    return layout;
}

}  // namespace temper
