// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/shape/slice_range.h"

#include <algorithm>
#include <limits>
#include <string>

#include "engine/core/error.h"
#include "engine/core/shape.h"

namespace temper {
namespace {

/// The opposite of the smallest int64 does not fit; such a step takes one element anyway.
int64_t opposite(int64_t step) { return -std::max(step, -std::numeric_limits<int64_t>::max()); }

}  // namespace

SliceRange SliceRange::of(int64_t start, int64_t end, int64_t step, int64_t dim) {
    if (step == 0) {
        throw Error(ErrorCode::InvalidInput, "A step of Slice is 0; expected another number.");
    }
    // A backward slice may end before the first element, which is position -1.
    const int64_t lowest = step > 0 ? 0 : -1;
    const int64_t highest = step > 0 ? dim : dim - 1;
    const auto place = [&](int64_t position) {
        const int64_t fromStart = position < 0 ? std::max(position, -dim - 1) + dim : position;
        return std::clamp(fromStart, lowest, std::max(lowest, highest));
    };
    SliceRange range{place(start), step, 0};
    const int64_t distance = step > 0 ? place(end) - range.start : range.start - place(end);
    const int64_t stride = step > 0 ? step : opposite(step);
    if (distance > 0) range.count = (distance - 1) / stride + 1;
    return range;
}

std::optional<SliceBounds> forwards(const SliceBounds& backwards, std::optional<int64_t> dim) {
    const auto& [start, end, step] = backwards;
    if (dim) {
        const SliceRange range = SliceRange::of(start, end, step, *dim);
        if (range.count == 0) return SliceBounds{};
        const int64_t first = range.start + (range.count - 1) * step;
        return SliceBounds{first, range.start + 1, opposite(step)};
    }
    if (step != -1) return std::nullopt;
    // Position -1 is the last one; the one after it is any position beyond.
    const auto after = [](int64_t position) {
        constexpr int64_t kBeyond = std::numeric_limits<int64_t>::max();
        return position == -1 || position == kBeyond ? kBeyond : position + 1;
    };
    return SliceBounds{after(end), after(start), 1};
}

std::optional<SliceParameters> SliceParameters::of(const Node& node, size_t firstInput,
                                                   const Read& read) {
    using Integers = std::vector<int64_t>;
    SliceParameters result;
    if (node.input(firstInput) == nullptr) {
        result.starts = node.attribute<Integers>("starts", {});
        result.ends = node.attribute<Integers>("ends", {});
        result.axes = node.attribute<Integers>("axes", {});
        return result;
    }
    Integers* const targets[] = {&result.starts, &result.ends, &result.axes, &result.steps};
    for (size_t i = 0; i < 4; ++i) {
        if (node.input(firstInput + i) == nullptr) continue;
        std::optional<Integers> values = read(firstInput + i);
        if (!values) return std::nullopt;
        *targets[i] = *std::move(values);
    }
    return result;
}

void SliceParameters::check() const {
    const auto require = [&](size_t size, const char* what) {
        if (size == starts.size()) return;
        throw Error(ErrorCode::InvalidInput, std::string("Slice has ") + std::to_string(size) +
                                                 " " + what + "; expected one per start, " +
                                                 std::to_string(starts.size()) + ".");
    };
    require(ends.size(), "ends");
    if (!axes.empty()) require(axes.size(), "axes");
    if (!steps.empty()) require(steps.size(), "steps");
}

int64_t SliceParameters::axisOf(size_t i, int64_t rank) const {
    const int64_t axis = axes.empty() ? static_cast<int64_t>(i) : axes[i];
    return normalizeAxis(axis, rank, "An axis of Slice");
}

std::vector<SliceRange> SliceParameters::ranges(std::span<const int64_t> shape) const {
    check();
    std::vector<SliceRange> result;
    for (const int64_t dim : shape) result.push_back({0, 1, dim});
    for (size_t i = 0; i < starts.size(); ++i) {
        const auto axis = static_cast<size_t>(axisOf(i, static_cast<int64_t>(shape.size())));
        result[axis] =
            SliceRange::of(starts[i], ends[i], steps.empty() ? 1 : steps[i], shape[axis]);
    }
    return result;
}

}  // namespace temper
