// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/shape.h"

namespace temper {

/// The lines along one axis of an index tensor, and their places in the data tensor that the
/// indices address: GatherElements and ScatterElements work line by line.
class AxisLines {
public:
    /// Shapes: equal ranks; indices at most as long as data on the other axes.
    /// Throws: Error(InvalidInput) if they do not fit.
    AxisLines(std::span<const int64_t> indices, std::span<const int64_t> data, int64_t axis);

    int64_t count() const { return count_; }    ///< number of lines
    int64_t length() const { return length_; }  ///< indices in a line
    int64_t indexStride() const { return indexStride_; }
    int64_t dataLength() const { return dataLength_; }  ///< what the indices address
    int64_t dataStride() const { return dataStride_; }

    struct Start {
        int64_t index = 0;
        int64_t data = 0;
    };
    /// Where line `line` starts, in elements.
    Start start(int64_t line) const;

private:
    struct Axis {
        int64_t count;
        int64_t indexStride;
        int64_t dataStride;
    };
    std::vector<Axis> others_;
    int64_t count_ = 1;
    int64_t length_ = 1;
    int64_t indexStride_ = 1;
    int64_t dataLength_ = 1;
    int64_t dataStride_ = 1;
};

/// The position that an index stands for: negative ones count from the end.
/// Throws: Error(InvalidInput) naming the index if it is out of range.
int64_t positionOf(int64_t index, int64_t length);

}  // namespace temper
