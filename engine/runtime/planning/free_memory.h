// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace temper {

/// The gaps of an arena that grows at its end. Every call takes time proportional to the logarithm
/// of the number of gaps.
class FreeMemory {
public:
    /// Takes the smallest gap that holds `bytes`, the first of equal ones, or grows the arena.
    /// Returns: the offset.
    size_t take(size_t bytes);

    /// Frees what was taken, and merges it with adjacent gaps.
    void give(size_t offset, size_t bytes);

    /// The size of the arena.
    size_t bytes() const { return end_; }

private:
    void add(size_t offset, size_t bytes);
    void remove(size_t offset, size_t bytes);

    std::map<size_t, size_t> gaps_;               ///< offset and size
    std::set<std::pair<size_t, size_t>> bySize_;  ///< the same, size first
    size_t end_ = 0;
};

}  // namespace temper
