// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// What Slice takes from one axis: `count` elements from `start` on, `step` apart.
struct SliceRange {
    int64_t start = 0;
    int64_t step = 1;
    int64_t count = 0;

    /// Negative positions count from the end; both are clamped to the axis.
    /// Throws: Error(InvalidInput) for a step of 0.
    /// Source: ONNX, Slice-13.
    static SliceRange of(int64_t start, int64_t end, int64_t step, int64_t dim);
};

/// A slice as its start, end and step, which Slice and SliceGrad take.
struct SliceBounds {
    int64_t start = 0;
    int64_t end = 0;
    int64_t step = 1;
};

/// The elements of a backward slice as a forward one. nullopt: the length of the axis decides, and
/// it is unknown.
std::optional<SliceBounds> forwards(const SliceBounds& backwards, std::optional<int64_t> dim);

/// The parameters of Slice (any version) and SliceGrad as numbers.
struct SliceParameters {
    std::vector<int64_t> starts;
    std::vector<int64_t> ends;
    std::vector<int64_t> axes;   ///< empty: the first ones
    std::vector<int64_t> steps;  ///< empty: 1

    /// Reads an integer input; only called for inputs that are present. nullopt: unknown.
    using Read = std::function<std::optional<std::vector<int64_t>>(size_t input)>;
    /// From the attributes (opset 9) or the inputs from `firstInput` on (10 and later).
    static std::optional<SliceParameters> of(const Node& node, size_t firstInput, const Read& read);

    /// One range per axis of `shape`.
    /// Throws: Error(InvalidInput) if the lengths or axes do not fit.
    std::vector<SliceRange> ranges(std::span<const int64_t> shape) const;
    /// The axis that entry `i` is about, in [0, rank).
    int64_t axisOf(size_t i, int64_t rank) const;
    /// Throws: Error(InvalidInput) if the lists differ in length.
    void check() const;
};

}  // namespace temper
