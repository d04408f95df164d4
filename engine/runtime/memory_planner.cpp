// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/memory_planner.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/runtime/occupied_memory.h"

namespace temper {
namespace {

size_t aligned(size_t bytes) {
    return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

/// Places buffers one after the other.
class Placement {
public:
    Placement(std::span<const Lifetime> lifetimes, MemoryLayout& layout)
        : lifetimes_(lifetimes), layout_(layout), occupied_(stepsOf(lifetimes)) {}

    void place(size_t index) {
        const Lifetime& lifetime = lifetimes_[index];
        const size_t offset = smallestGap(lifetime);
        const size_t end = offset + aligned(lifetime.bytes);
        layout_.offsets[index] = offset;
        layout_.bytes = std::max(layout_.bytes, end);
        occupied_.add(lifetime.first, lifetime.last, {offset, end});
    }

private:
    static size_t stepsOf(std::span<const Lifetime> lifetimes) {
        size_t steps = 1;
        for (const Lifetime& lifetime : lifetimes)
            steps = std::max(steps, static_cast<size_t>(lifetime.last) + 1);
        return steps;
    }

    /// Behind the buffers alive at the same time where no gap between them is large enough.
    size_t smallestGap(const Lifetime& lifetime) {
        const size_t wanted = aligned(lifetime.bytes);
        size_t end = 0;
        size_t best = 0;
        size_t bestSize = std::numeric_limits<size_t>::max();
        occupied_.visit(lifetime.first, lifetime.last, [&](AddressRange range) {
            if (range.begin > end && range.begin - end >= wanted && range.begin - end < bestSize) {
                best = end;
                bestSize = range.begin - end;
            }
            end = std::max(end, range.end);
            const bool isBest = bestSize == wanted;
            return isBest ? OccupiedMemory::kNoMore : end;
        });
        return bestSize == std::numeric_limits<size_t>::max() ? end : best;
    }

    std::span<const Lifetime> lifetimes_;
    MemoryLayout& layout_;
    OccupiedMemory occupied_;
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
