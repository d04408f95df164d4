// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/indexing/index_tuples.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/ops/indexing/axis_lines.h"

namespace temper {

IndexTuples::IndexTuples(std::span<const int64_t> indices, std::span<const int64_t> data,
                         int64_t batchDims) {
    const auto batchAxes = static_cast<size_t>(batchDims);
    const bool fits = batchDims >= 0 && !indices.empty() && batchAxes < indices.size() &&
                      batchAxes + static_cast<size_t>(indices.back()) <= data.size() &&
                      std::equal(indices.begin(), indices.begin() + batchDims, data.begin());
    if (!fits) {
        throw Error(ErrorCode::InvalidInput,
                    "Indices " + formatShape(indices) + " can't address data " + formatShape(data) +
                        " with " + std::to_string(batchDims) + " batch axes.");
    }
    const Shape strides = stridesOf(data);
    const size_t addressed = batchAxes + static_cast<size_t>(indices.back());
    for (size_t i = batchAxes; i < addressed; ++i) {
        lengths_.push_back(data[i]);
        strides_.push_back(strides[i]);
    }
    for (size_t i = 0; i + 1 < indices.size(); ++i) {
        count_ *= indices[i];
        if (i >= batchAxes) perBatch_ *= indices[i];
    }
    perBatch_ = std::max<int64_t>(perBatch_, 1);
    batchStride_ = batchAxes > 0 ? strides[batchAxes - 1] : 0;
    sliceCount_ = numElements(data.subspan(addressed));
}

int64_t IndexTuples::positionIn(int64_t index, size_t k) const {
    return positionOf(index, lengths_[k]);
}

}  // namespace temper
