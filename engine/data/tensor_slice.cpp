// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tensor_slice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/data/tensor_numbers.h"

namespace temper {
namespace {

/// Elements from one index of an axis to the next.
std::vector<int64_t> stridesOf(const Shape& shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
    return strides;
}

void check(const Shape& shape, const SliceChoice& choice) {
    const auto rank = static_cast<int64_t>(shape.size());
    const bool axes = choice.columnAxis >= 0 && choice.columnAxis < std::max<int64_t>(1, rank) &&
                      choice.rowAxis >= -1 && choice.rowAxis < rank &&
                      choice.rowAxis != choice.columnAxis;
    if (!axes || choice.index.size() != shape.size())
        throw Error(ErrorCode::InvalidInput,
                    "A tensor of shape " + formatShape(shape) + " has no such slice.");
    for (size_t axis = 0; axis < shape.size(); ++axis)
        if (choice.index[axis] < 0 || choice.index[axis] >= shape[axis])
            throw Error(ErrorCode::InvalidInput, "Index " + std::to_string(choice.index[axis]) +
                                                     " is outside axis " + std::to_string(axis) +
                                                     " of shape " + formatShape(shape) + ".");
}

int64_t cellsFor(int64_t size, int64_t most, int64_t& step) {
    step = std::max<int64_t>(1, (size + most - 1) / most);
    return (size + step - 1) / step;
}

/// Keeps what stands out: NaN first, else the larger magnitude.
void merge(double& cell, double value) {
    if (std::isnan(cell)) return;
    if (std::isnan(value) || std::abs(value) > std::abs(cell)) cell = value;
}

void findRange(SliceGrid& grid) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const double value : grid.values) {
        if (!std::isfinite(value)) continue;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    if (least > most) return;
    grid.minimum = least;
    grid.maximum = most;
}

}  // namespace

SliceChoice lastAxes(const Shape& shape) {
    const auto rank = static_cast<int64_t>(shape.size());
    return {rank >= 2 ? rank - 2 : -1, std::max<int64_t>(0, rank - 1),
            std::vector<int64_t>(shape.size(), 0)};
}

SliceGrid sliceTensor(const Tensor& tensor, const SliceChoice& choice, int64_t most,
                      const std::stop_token& stop) {
    const Shape& shape = tensor.shape();
    if (tensor.numElements() == 0) return {};
    check(shape, choice);
    const std::vector<int64_t> strides = stridesOf(shape);
    const auto sizeOf = [&](int64_t axis) {
        return axis < 0 || shape.empty() ? 1 : shape[static_cast<size_t>(axis)];
    };
    const auto strideOf = [&](int64_t axis) {
        return axis < 0 || shape.empty() ? 0 : strides[static_cast<size_t>(axis)];
    };
    int64_t start = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
        if (static_cast<int64_t>(axis) != choice.rowAxis &&
            static_cast<int64_t>(axis) != choice.columnAxis)
            start += choice.index[axis] * strides[axis];
    SliceGrid grid;
    const int64_t rows = sizeOf(choice.rowAxis), columns = sizeOf(choice.columnAxis);
    grid.rows = cellsFor(rows, most, grid.rowStep);
    grid.columns = cellsFor(columns, most, grid.columnStep);
    grid.values.assign(static_cast<size_t>(grid.rows * grid.columns), 0);
    const bool done = visitStored(tensor.dtype(), [&]<typename Number>() {
        const auto values = storedValues<Number>(tensor);
        for (int64_t row = 0; row < rows; ++row) {
            if (stop.stop_requested()) return false;
            int64_t place = start + row * strideOf(choice.rowAxis);
            double* cells = grid.values.data() + row / grid.rowStep * grid.columns;
            for (int64_t column = 0; column < columns; ++column) {
                merge(cells[column / grid.columnStep],
                      Number::toDouble(values[static_cast<size_t>(place)]));
                place += strideOf(choice.columnAxis);
            }
        }
        return true;
    });
    if (!done) return {};
    findRange(grid);
    return grid;
}

}  // namespace temper
