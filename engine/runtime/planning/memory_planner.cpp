// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/memory_planner.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/runtime/planning/free_memory.h"
#include "engine/runtime/planning/occupied_memory.h"

namespace temper {
namespace {

size_t aligned(size_t bytes) {
    return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

/// The maximum work for placing the first `buffers` by size, in looks at ranges. Deep models take
/// up to 80 looks for each buffer.
size_t maxWork(size_t buffers) {
    constexpr size_t kForAny = 4'000'000;
    constexpr size_t kPerBuffer = 150;
    return kForAny + kPerBuffer * buffers;
}

/// Places buffers one after another.
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

    size_t work() const { return occupied_.work(); }

private:
    static size_t stepsOf(std::span<const Lifetime> lifetimes) {
        size_t steps = 1;
        for (const Lifetime& lifetime : lifetimes)
            steps = std::max(steps, static_cast<size_t>(lifetime.last) + 1);
        return steps;
    }

    /// After the buffers alive at the same time if no gap between them is large enough.
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

/// Larger ones first. Empty if that takes too much work.
std::optional<MemoryLayout> placeBySize(std::span<const Lifetime> lifetimes) {
    std::vector<size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t i) { return lifetimes[i].bytes; });
    MemoryLayout layout;
    layout.offsets.resize(lifetimes.size());
    Placement placement(lifetimes, layout);
    for (size_t placed = 0; placed < order.size(); ++placed) {
        if (lifetimes[order[placed]].bytes > 0) placement.place(order[placed]);
        if (placement.work() > maxWork(placed + 1)) return std::nullopt;
    }
    return layout;
}

/// In the order in which the running steps take and free memory; of those that begin together,
/// larger ones first.
MemoryLayout placeByTime(std::span<const Lifetime> lifetimes) {
    std::vector<size_t> begins;
    for (size_t i = 0; i < lifetimes.size(); ++i) {
        if (lifetimes[i].bytes > 0) begins.push_back(i);
    }
    std::vector<size_t> ends = begins;
    std::ranges::stable_sort(begins, {}, [&](size_t i) {
        return std::pair(lifetimes[i].first,
                         std::numeric_limits<size_t>::max() - lifetimes[i].bytes);
    });
    std::ranges::stable_sort(ends, {}, [&](size_t i) { return lifetimes[i].last; });
    MemoryLayout layout;
    layout.offsets.resize(lifetimes.size());
    FreeMemory memory;
    auto ended = ends.begin();
    for (const size_t index : begins) {
        for (; lifetimes[*ended].last < lifetimes[index].first; ++ended)
            memory.give(layout.offsets[*ended], aligned(lifetimes[*ended].bytes));
        layout.offsets[index] = memory.take(aligned(lifetimes[index].bytes));
    }
    layout.bytes = memory.bytes();
    return layout;
}

}  // namespace

MemoryLayout planMemory(std::span<const Lifetime> lifetimes) {
    auto layout = placeBySize(lifetimes);
    return layout ? *std::move(layout) : placeByTime(lifetimes);
}

}  // namespace temper
