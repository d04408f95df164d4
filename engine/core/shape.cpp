// SPDX-License-Identifier: Apache-2.0
#include "engine/core/shape.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/joined.h"

namespace temper {

int64_t numElements(std::span<const int64_t> shape) {
    int64_t count = 1;
    bool overflow = false;
    bool empty = false;
    for (const int64_t dim : shape) {
        if (dim < 0) {
            throw Error(ErrorCode::InvalidInput, "Shape " + formatShape(shape) +
                                                     " has the negative dimension " +
                                                     std::to_string(dim) + ".");
        }
        if (dim == 0) empty = true;
        overflow = __builtin_mul_overflow(count, dim, &count) || overflow;
    }
    if (empty) return 0;
    if (overflow) {
        throw Error(ErrorCode::InvalidInput,
                    "Shape " + formatShape(shape) + " has more elements than 64 bits can count.");
    }
    return count;
}

Shape stridesOf(std::span<const int64_t> shape) {
    Shape strides(shape.size());
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        strides[i] = stride;
        // Overflows only if another dimension is 0; the stride is not used then.
        if (__builtin_mul_overflow(stride, shape[i], &stride)) stride = 0;
    }
    return strides;
}

std::optional<Shape> broadcastShapes(std::span<const int64_t> a, std::span<const int64_t> b) {
    const size_t rank = std::max(a.size(), b.size());
    Shape result(rank);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t da = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
        const int64_t db = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
        if (da != db && da != 1 && db != 1) return std::nullopt;
        result[i] = da == 1 ? db : da;
    }
    return result;
}

std::string formatShape(std::span<const int64_t> shape) {
    return "[" + joined(shape, [](int64_t dim) { return std::to_string(dim); }) + "]";
}

int64_t normalizeAxis(int64_t axis, int64_t rank, const std::string& what) {
    if (axis < -rank || axis >= rank) {
        const std::string found = what + " is " + std::to_string(axis);
        if (rank == 0) {
            throw Error(ErrorCode::InvalidInput, found + "; a scalar has no axes.",
                        "Check the shape of the operator's input, which seems to lack an axis.");
        }
        throw Error(ErrorCode::InvalidInput,
                    found + "; expected an axis in [" + std::to_string(-rank) + ", " +
                        std::to_string(rank) + ").",
                    "Check the axes of the operator and the shape of its input.");
    }
    return axis < 0 ? axis + rank : axis;
}

}  // namespace temper
