// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tensor_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/data/tensor_numbers.h"

namespace temper {
namespace {

constexpr size_t kBlock = size_t{1} << 20;
/// Bits of a key per level: the first level's are the buckets that are counted once.
constexpr int kFirstBits = 20;
constexpr int kNextBits = 22;
/// Buckets with up to this many elements are listed and sorted.
constexpr int64_t kListed = int64_t{1} << 21;
constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();

/// Unsigned keys that are ordered like the numbers; NaN is the largest in both directions.
uint64_t orderedKey(double value, OrderBy by, bool descending) {
    if (std::isnan(value)) return kLast;
    if (by == OrderBy::Magnitude) value = std::abs(value);
    const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
    const uint64_t ordered = (bits >> 63) != 0 ? ~bits : bits | (uint64_t{1} << 63);
    return descending ? ~ordered : ordered;
}

/// 64-bit integers have more digits than a double.
uint64_t orderedKey(int64_t value, OrderBy by, bool descending) {
    uint64_t ordered = static_cast<uint64_t>(value) ^ (uint64_t{1} << 63);
    if (by == OrderBy::Magnitude)
        ordered =
            value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    return descending ? ~ordered : ordered;
}

uint64_t orderedKey(uint64_t value, bool descending) { return descending ? ~value : value; }

template <typename Number>
uint64_t keyOf(typename Number::Stored stored, OrderBy by, bool descending) {
    if constexpr (std::is_same_v<Number, StoredNumber<int64_t>>) {
        return orderedKey(stored, by, descending);
    } else if constexpr (std::is_same_v<Number, StoredNumber<uint64_t>>) {
        return orderedKey(stored, descending);
    } else {
        return orderedKey(Number::toDouble(stored), by, descending);
    }
}

}  // namespace

/// Calls f(key, position) for all elements; false if it was stopped.
template <typename F>
bool TensorOrder::scan(const std::stop_token& stop, Progress* progress, F&& f) const {
    return visitStored(tensor_.dtype(), [&]<typename Number>() {
        const auto values = storedValues<Number>(tensor_);
        for (size_t begin = 0; begin < values.size(); begin += kBlock) {
            if (stop.stop_requested()) return false;
            const size_t end = std::min(values.size(), begin + kBlock);
            for (size_t i = begin; i < end; ++i)
                f(keyOf<Number>(values[i], by_, descending_), static_cast<int64_t>(i));
            if (progress != nullptr)
                *progress = static_cast<float>(end) / static_cast<float>(values.size());
        }
        return true;
    });
}

TensorOrder::TensorOrder(Tensor tensor, OrderBy by, bool descending, const std::stop_token& stop,
                         Progress* progress)
    : tensor_(std::move(tensor)), by_(by), descending_(descending) {
    if (by == OrderBy::Position) return;
    starts_.assign((size_t{1} << kFirstBits) + 1, 0);
    scan(stop, progress,
         [this](uint64_t key, int64_t) { ++starts_[(key >> (64 - kFirstBits)) + 1]; });
    for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
}

int64_t TensorOrder::bucketOf(int64_t place) const {
    return std::upper_bound(starts_.begin(), starts_.end(), place) - starts_.begin() - 1;
}

std::vector<int64_t> TensorOrder::rows(int64_t first, int64_t count,
                                       const std::stop_token& stop) const {
    const int64_t end = std::min(first + count, tensor_.numElements());
    std::vector<int64_t> rows;
    if (first < 0 || end <= first) return rows;
    if (by_ == OrderBy::Position) {
        for (int64_t place = first; place < end; ++place)
            rows.push_back(descending_ ? tensor_.numElements() - 1 - place : place);
        return rows;
    }
    const std::lock_guard lock(mutex_);
    const auto isKnown = [&] {
        return first >= known_.first &&
               end <= known_.first + static_cast<int64_t>(known_.positions.size());
    };
    if (!isKnown()) {
        const int64_t low = bucketOf(first), high = bucketOf(end - 1) + 1;
        const int64_t listed =
            starts_[static_cast<size_t>(high)] - starts_[static_cast<size_t>(low)];
        known_ =
            listed <= kListed ? collectBuckets(low, high, stop) : selectRange(first, end, stop);
    }
    if (!isKnown()) return rows;
    const auto begin = known_.positions.begin() + (first - known_.first);
    return {begin, begin + (end - first)};
}

TensorOrder::Stretch TensorOrder::collectBuckets(int64_t low, int64_t high,
                                                 const std::stop_token& stop) const {
    std::vector<Entry> entries;
    const auto from = static_cast<uint64_t>(low), to = static_cast<uint64_t>(high);
    const bool done = scan(stop, nullptr, [&](uint64_t key, int64_t position) {
        const uint64_t bucket = key >> (64 - kFirstBits);
        if (bucket >= from && bucket < to) entries.push_back({key, position});
    });
    if (!done) return {};
    // Positions come in order, and a stable sort keeps it for equal keys.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.key < b.key; });
    Stretch stretch{starts_[static_cast<size_t>(low)], {}};
    for (const Entry& entry : entries) stretch.positions.push_back(entry.position);
    return stretch;
}

/// The key at a place, digit by digit.
TensorOrder::Selected TensorOrder::select(int64_t place, const std::stop_token& stop) const {
    const int64_t bucket = bucketOf(place);
    Selected selected{static_cast<uint64_t>(bucket) << (64 - kFirstBits),
                      starts_[static_cast<size_t>(bucket)]};
    for (int low = 64 - kFirstBits; low > 0; low -= kNextBits) {
        const int shift = std::max(0, low - kNextBits);
        std::vector<int64_t> counts(size_t{1} << (low - shift), 0);
        const uint64_t mask = counts.size() - 1;
        scan(stop, nullptr, [&](uint64_t key, int64_t) {
            if (key >> low == selected.key >> low) ++counts[(key >> shift) & mask];
        });
        uint64_t digit = 0;
        while (digit < mask && selected.before + counts[digit] <= place)
            selected.before += counts[digit++];
        selected.key |= digit << shift;
    }
    return selected;
}

/// All elements between the first and the last key are listed, of those two only as many as needed.
TensorOrder::Stretch TensorOrder::selectRange(int64_t first, int64_t last,
                                              const std::stop_token& stop) const {
    const Selected low = select(first, stop), high = select(last - 1, stop);
    if (stop.stop_requested()) return {};
    std::vector<Entry> entries;
    int64_t skip = first - low.before;
    int64_t takeLow = last - first, takeHigh = last - high.before;
    const bool done = scan(stop, nullptr, [&](uint64_t key, int64_t position) {
        if (key < low.key || key > high.key) return;
        if (key == low.key && (skip-- > 0 || takeLow-- <= 0)) return;
        if (key == high.key && key != low.key && takeHigh-- <= 0) return;
        entries.push_back({key, position});
    });
    if (!done) return {};
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.key < b.key; });
    Stretch stretch{first, {}};
    for (const Entry& entry : entries) stretch.positions.push_back(entry.position);
    return stretch;
}

}  // namespace temper
