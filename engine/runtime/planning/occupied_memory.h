// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace temper {

/// The addresses from `begin` to before `end`.
struct AddressRange {
    size_t begin = 0;
    size_t end = 0;
};

/// Which addresses are occupied at which steps. A tree over the steps holds unions of ranges
/// instead of single buffers: what is alive together is close together, so that a union of
/// thousands is a few ranges. Ranges that fill a part of the steps are passed to its halves when
/// these are queried.
class OccupiedMemory {
public:
    explicit OccupiedMemory(size_t steps);

    /// From step `first` to step `last`, both included.
    void add(size_t first, size_t last, AddressRange range);

    /// Calls visit(range) for what is occupied at any step from `first` to `last`: ranges, which
    /// may overlap, by their begin. It returns an address: ranges that end there or before it are
    /// left out after that. kNoMore: all further ones are.
    static constexpr size_t kNoMore = std::numeric_limits<size_t>::max();
    void visit(size_t first, size_t last, const std::function<size_t(AddressRange)>& visit);

    /// The number of ranges examined, stored or moved so far: a measure of time and memory that is
    /// the same on every machine.
    size_t work() const { return work_; }

private:
    /// Ascending, with gaps between them.
    using Ranges = std::vector<AddressRange>;
    /// For a part of the steps.
    struct Part {
        Ranges occupied;  ///< at any of its steps, except what the parts around it did not pass on
        Ranges toHandOn;  ///< occupied at all its steps, and yet to be passed to its halves
    };
    /// A part and the steps in it.
    struct Place {
        size_t part;
        size_t begin;
        size_t end;
    };

    std::vector<std::span<const AddressRange>> rangesDuring(size_t first, size_t last);
    void unite(Ranges& ranges, AddressRange added);
    void occupy(size_t part, AddressRange range, bool isWhole);
    void handOn(size_t part);
    /// Calls visit(part, isWhole) for each part that the steps touch, down to those that they fill.
    template <typename Visit>
    void forEachPart(size_t first, size_t last, const Visit& visit) const;

    size_t work_ = 0;
    size_t width_ = 1;         ///< of the root, a power of two
    std::vector<Part> parts_;  ///< the root is 1; the halves of `i` are 2 i and 2 i + 1
};

}  // namespace temper
