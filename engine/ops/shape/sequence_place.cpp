// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/shape/sequence_place.h"

#include <string>

#include "engine/core/checked.h"
#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/shape.h"

namespace temper {

size_t placeInSequence(const std::vector<int64_t>& position, size_t length, size_t places) {
    const auto count = static_cast<int64_t>(length);
    const bool isInside =
        position.size() == 1 && position[0] >= -count && position[0] < static_cast<int64_t>(places);
    if (!isInside) {
        throw Error(ErrorCode::InvalidInput, "Position " + formatShape(position) +
                                                 " is outside a sequence of " +
                                                 counted(length, "tensor") + ".");
    }
    return static_cast<size_t>(position[0] + (position[0] < 0 ? count : 0));
}

namespace {

/// Each part is a buffer of its own: more are a mistake.
constexpr int64_t kMostParts = 1'000'000;

std::vector<int64_t> equalParts(int64_t dim, int64_t size) {
    if (dim / size >= kMostParts) {
        throw Error(ErrorCode::Unsupported, "The sequence has " + counted(dim / size, "tensor") +
                                                "; expected at most " + std::to_string(kMostParts) +
                                                ".");
    }
    std::vector<int64_t> lengths(static_cast<size_t>(dim / size), size);
    if (dim % size > 0) lengths.push_back(dim % size);
    return lengths;
}

}  // namespace

std::vector<int64_t> partLengths(int64_t dim, const std::vector<int64_t>& split, bool isList) {
    if (!isList) {
        if (split.size() == 1 && split[0] >= 1) return equalParts(dim, split[0]);
        throw Error(ErrorCode::InvalidInput, "The size of the parts is " + formatShape(split) +
                                                 "; expected one number from 1 on.");
    }
    int64_t total = 0;
    for (const int64_t length : split) {
        if (length < 0) throw Error(ErrorCode::InvalidInput, "The size of a part is negative.");
        total = checkedSum(total, length);
    }
    if (total == dim) return split;
    throw Error(ErrorCode::InvalidInput, "The parts have " + counted(total, "element") +
                                             " in total; expected " + std::to_string(dim) +
                                             ", the split dimension.");
}

}  // namespace temper
