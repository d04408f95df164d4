// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/data/tensor_statistics.h"

namespace temper {

enum class OrderBy { Position, Value, Magnitude };

/// The elements of a tensor in sorted order, without moving or listing them: rows are found on
/// request, by counting and selecting (radix selection). Memory does not grow with the tensor, and
/// a memory-mapped one stays mapped. NaN comes last in both directions; equal values keep the order
/// of their positions.
/// Thread: any; concurrent calls of rows() wait for each other.
class TensorOrder {
public:
    /// Counts the values once, for orders that need it.
    /// Throws: Error(Unsupported) for types that are not numbers.
    TensorOrder(Tensor tensor, OrderBy by, bool descending, const std::stop_token& stop = {},
                Progress* progress = nullptr);

    const Tensor& tensor() const { return tensor_; }
    OrderBy by() const { return by_; }
    bool isDescending() const { return descending_; }

    /// Positions of the elements at places [first, first + count) of the order, fewer at its end.
    /// Reads the tensor up to four times; places near each other are often already known. Returns
    /// nothing when `stop` is requested.
    std::vector<int64_t> rows(int64_t first, int64_t count, const std::stop_token& stop = {}) const;

private:
    struct Entry {
        uint64_t key;
        int64_t position;
    };
    /// A known stretch of the order.
    struct Stretch {
        int64_t first = 0;
        std::vector<int64_t> positions;
    };
    struct Selected {
        uint64_t key = 0;
        int64_t before = 0;  ///< elements with smaller keys
    };

    template <typename F>
    bool scan(const std::stop_token& stop, Progress* progress, F&& f) const;
    int64_t bucketOf(int64_t place) const;
    Stretch collectBuckets(int64_t low, int64_t high, const std::stop_token& stop) const;
    Stretch selectRange(int64_t first, int64_t last, const std::stop_token& stop) const;
    Selected select(int64_t place, const std::stop_token& stop) const;

    Tensor tensor_;
    OrderBy by_;
    bool descending_;
    std::vector<int64_t> starts_;  ///< per bucket: elements before it; one more after the last
    mutable std::mutex mutex_;
    mutable Stretch known_;
};

}  // namespace temper
