// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/occupied_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace temper {

/// The number of ranges moved in memory in about the time of one look at a range.
constexpr size_t kRangesPerLook = 8;

OccupiedMemory::OccupiedMemory(size_t steps) : width_(std::bit_ceil(steps)), parts_(2 * width_) {}

template <typename Visit>
void OccupiedMemory::forEachPart(size_t first, size_t last, const Visit& visit) const {
    std::vector<Place> pending = {{1, 0, width_}};
    while (!pending.empty()) {
        const Place place = pending.back();
        pending.pop_back();
        if (place.end <= first || place.begin > last) continue;
        const bool isWhole = first <= place.begin && place.end <= last + 1;
        visit(place.part, isWhole);
        if (isWhole) continue;
        const size_t middle = (place.begin + place.end) / 2;
        pending.push_back({2 * place.part, place.begin, middle});
        pending.push_back({2 * place.part + 1, middle, place.end});
    }
}

void OccupiedMemory::add(size_t first, size_t last, AddressRange range) {
    forEachPart(first, last, [&](size_t part, bool isWhole) { occupy(part, range, isWhole); });
}

void OccupiedMemory::occupy(size_t part, AddressRange range, bool isWhole) {
    unite(parts_[part].occupied, range);
    const bool hasHalves = part < width_;
    if (isWhole && hasHalves) unite(parts_[part].toHandOn, range);
}

void OccupiedMemory::handOn(size_t part) {
    for (const AddressRange& range : std::exchange(parts_[part].toHandOn, {})) {
        occupy(2 * part, range, true);
        occupy(2 * part + 1, range, true);
    }
}

std::vector<std::span<const AddressRange>> OccupiedMemory::rangesDuring(size_t first, size_t last) {
    std::vector<std::span<const AddressRange>> found;
    forEachPart(first, last, [&](size_t part, bool isWhole) {
        if (!isWhole) return handOn(part);
        if (!parts_[part].occupied.empty()) found.emplace_back(parts_[part].occupied);
    });
    return found;
}

void OccupiedMemory::visit(size_t first, size_t last,
                           const std::function<size_t(AddressRange)>& visit) {
    auto left = rangesDuring(first, last);
    const auto beginsLater = [](const auto& a, const auto& b) {
        return a.front().begin > b.front().begin;
    };
    std::ranges::make_heap(left, beginsLater);
    size_t passed = 0;
    while (!left.empty() && passed != kNoMore) {
        ++work_;
        std::ranges::pop_heap(left, beginsLater);
        auto& ranges = left.back();
        if (ranges.front().end > passed) passed = visit(ranges.front());
        const auto next = std::ranges::upper_bound(ranges, passed, {}, &AddressRange::end);
        ranges = {next, ranges.end()};
        if (ranges.empty()) {
            left.pop_back();
        } else {
            std::ranges::push_heap(left, beginsLater);
        }
    }
}

void OccupiedMemory::unite(Ranges& ranges, AddressRange added) {
    const auto first = std::ranges::lower_bound(ranges, added.begin, {}, &AddressRange::end);
    work_ += 1 + static_cast<size_t>(ranges.end() - first) / kRangesPerLook;
    auto after = first;
    for (; after != ranges.end() && after->begin <= added.end; ++after) {
        added.begin = std::min(added.begin, after->begin);
        added.end = std::max(added.end, after->end);
    }
    if (first == after) {
        ranges.insert(first, added);
        return;
    }
    *first = added;
    ranges.erase(first + 1, after);
}

}  // namespace temper
