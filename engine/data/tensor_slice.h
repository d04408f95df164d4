// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/core/tensor.h"

namespace temper {

/// Two axes of a tensor, the others fixed at an index.
struct SliceChoice {
    int64_t rowAxis = -1;  ///< -1: a single row
    int64_t columnAxis = 0;
    std::vector<int64_t> index;  ///< one per axis; those of the two axes are ignored
    bool operator==(const SliceChoice&) const = default;
};

/// The last two axes; all others at 0.
SliceChoice lastAxes(const Shape& shape);

/// A slice reduced to a viewable size: cells of rowStep x columnStep elements.
struct SliceGrid {
    int64_t rows = 0;  ///< of the grid
    int64_t columns = 0;
    int64_t rowStep = 1;
    int64_t columnStep = 1;
    /// Row by row. The element of the largest magnitude in each cell, so that rare values stay
    /// visible. NaN if the cell holds one.
    std::vector<double> values;
    double minimum = 0;  ///< of the finite values
    double maximum = 0;
};

/// At most `most` cells in each direction. Empty if `stop` is requested.
/// Throws: Error(InvalidInput) for an axis or index that the tensor does not have;
/// Error(Unsupported) for types that are not numbers.
SliceGrid sliceTensor(const Tensor& tensor, const SliceChoice& choice, int64_t most,
                      const std::stop_token& stop = {});

}  // namespace temper
