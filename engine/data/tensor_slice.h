// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/core/tensor.h"

namespace temper {

/// Two axes of a tensor, the others held at an index.
struct SliceChoice {
    int64_t rowAxis = -1;  ///< -1: a single row
    int64_t columnAxis = 0;
    std::vector<int64_t> index;  ///< one per axis; those of the two axes do not count
    bool operator==(const SliceChoice&) const = default;
};

/// The last two axes; everything else at 0.
SliceChoice lastAxes(const Shape& shape);

/// A slice made small enough to be looked at: cells of rowStep x columnStep elements.
struct SliceGrid {
    int64_t rows = 0;  ///< of the grid
    int64_t columns = 0;
    int64_t rowStep = 1;
    int64_t columnStep = 1;
    /// Row by row. Of each cell the element of the largest magnitude: what is rare stays visible.
    /// NaN where one is in the cell.
    std::vector<double> values;
    double minimum = 0;  ///< of the finite values
    double maximum = 0;
};

/// At most `most` cells in each direction. Empty where `stop` is requested.
/// Throws: Error(InvalidInput) for an axis or index that the tensor does not have;
/// Error(Unsupported) for types that are no numbers.
SliceGrid sliceTensor(const Tensor& tensor, const SliceChoice& choice, int64_t most,
                      const std::stop_token& stop = {});

}  // namespace temper
