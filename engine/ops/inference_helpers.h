// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/op_catalog.h"

namespace temper {

/// Maps an axis in [-rank, rank) to [0, rank); a failure of the node outside.
inline size_t axisWithin(const InferenceContext& ctx, int64_t axis, int64_t rank) {
    if (axis < -rank || axis >= rank) {
        ctx.fail("Axis " + std::to_string(axis) + " does not exist; expected one in [" +
                 std::to_string(-rank) + ", " + std::to_string(rank) + ").");
    }
    return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

/// The axes, each in [0, rank), in ascending order; a failure of the node where one is repeated.
inline std::vector<size_t> sortedAxes(const InferenceContext& ctx,
                                      const std::vector<int64_t>& axes, int64_t rank) {
    std::vector<size_t> result;
    for (const int64_t axis : axes) result.push_back(axisWithin(ctx, axis, rank));
    std::sort(result.begin(), result.end());
    if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
        ctx.fail("An axis is given twice; expected each at most once.");
    }
    return result;
}

/// Dimensions of which only the number is known.
inline SymbolicShape unknownDims(size_t rank) { return SymbolicShape(rank, Dim::unknown()); }

/// The number of elements of a vector input, where it is known.
inline std::optional<size_t> lengthOf(const InferenceContext& ctx, size_t input) {
    const auto& shape = ctx.shape(input);
    if (!shape || shape->size() != 1 || !shape->front().isNumber()) return std::nullopt;
    return static_cast<size_t>(shape->front().value);
}

/// The shape that a shape tensor describes: exact or symbolic dims where its content is known,
/// unknown ones where only its length is.
inline std::optional<SymbolicShape> shapeFromInput(const InferenceContext& ctx, size_t input) {
    if (const auto content = ctx.content(input)) {
        SymbolicShape result;
        for (const SymbolicInt& number : *content) result.push_back(number.toDim());
        return result;
    }
    if (const auto length = lengthOf(ctx, input)) return unknownDims(*length);
    return std::nullopt;
}

/// Hands the integers of input `from` on to output `to`: for operators that do not reorder.
inline void passContent(InferenceContext& ctx, size_t from, size_t to) {
    if (auto content = ctx.content(from)) ctx.setContent(to, *std::move(content));
}

}  // namespace temper
