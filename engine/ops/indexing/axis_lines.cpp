// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/indexing/axis_lines.h"

#include <string>

#include "engine/core/counted.h"
#include "engine/core/error.h"

namespace temper {

AxisLines::AxisLines(std::span<const int64_t> indices, std::span<const int64_t> data,
                     int64_t axis) {
    const auto rank = static_cast<int64_t>(data.size());
    if (indices.size() != data.size() || rank == 0) {
        throw Error(ErrorCode::InvalidInput, "Data " + formatShape(data) + " and indices " +
                                                 formatShape(indices) +
                                                 "; expected equal ranks of 1 or more.");
    }
    const auto along = static_cast<size_t>(normalizeAxis(axis, rank, "The axis"));
    const Shape indexStrides = stridesOf(indices);
    const Shape dataStrides = stridesOf(data);
    for (size_t i = 0; i < data.size(); ++i) {
        if (i == along) continue;
        if (indices[i] > data[i]) {
            throw Error(ErrorCode::InvalidInput, "Indices " + formatShape(indices) +
                                                     " reach outside data " + formatShape(data) +
                                                     " on axis " + std::to_string(i) + ".");
        }
        others_.push_back({indices[i], indexStrides[i], dataStrides[i]});
        count_ *= indices[i];
    }
    length_ = indices[along];
    indexStride_ = indexStrides[along];
    dataLength_ = data[along];
    dataStride_ = dataStrides[along];
}

AxisLines::Start AxisLines::start(int64_t line) const {
    Start start;
    for (size_t i = others_.size(); i-- > 0;) {
        const int64_t place = line % others_[i].count;
        line /= others_[i].count;
        start.index += place * others_[i].indexStride;
        start.data += place * others_[i].dataStride;
    }
    return start;
}

int64_t positionOf(int64_t index, int64_t length) {
    if (index < -length || index >= length) {
        throw Error(ErrorCode::InvalidInput,
                    "Index " + std::to_string(index) + " is outside an axis of " +
                        counted(length, "element") + ".",
                    "Check the data: class labels or token ids may exceed the table's size.");
    }
    return index < 0 ? index + length : index;
}

}  // namespace temper
