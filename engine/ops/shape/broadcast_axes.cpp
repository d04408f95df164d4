// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/shape/broadcast_axes.h"

#include "engine/core/error.h"
#include "engine/core/shape.h"

namespace temper {

BroadcastAxes BroadcastAxes::of(std::span<const int64_t> a, std::span<const int64_t> b) {
    const auto result = broadcastShapes(a, b);
    if (!result) {
        throw Error(ErrorCode::InvalidInput,
                    "Shapes " + formatShape(a) + " and " + formatShape(b) + " can't be broadcast.");
    }
    const auto isSummed = [&](std::span<const int64_t> shape, size_t axis) {
        const size_t missing = result->size() - shape.size();
        return axis < missing || (shape[axis - missing] == 1 && (*result)[axis] != 1);
    };
    BroadcastAxes axes;
    for (size_t axis = result->size(); axis-- > 0;) {
        if (isSummed(a, axis)) axes.ofA.push_back(static_cast<int64_t>(axis));
        if (isSummed(b, axis)) axes.ofB.push_back(static_cast<int64_t>(axis));
    }
    return axes;
}

}  // namespace temper
