// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/shape.h"

namespace temper {

/// Index tuples of GatherND and ScatterND: each addresses a slice of the data's trailing axes.
class IndexTuples {
public:
    /// Throws: Error(InvalidInput) if the shapes do not fit.
    IndexTuples(std::span<const int64_t> indices, std::span<const int64_t> data, int64_t batchDims);

    int64_t count() const { return count_; }            ///< number of tuples
    int64_t sliceCount() const { return sliceCount_; }  ///< elements that a tuple addresses

    /// Where the slice of tuple `i` starts in the data, in elements.
    /// Throws: Error(InvalidInput) naming an index that is out of range.
    template <typename Index>
    int64_t offset(const Index* indices, int64_t i) const {
        int64_t place = i / perBatch_ * batchStride_;
        const Index* tuple = indices + i * static_cast<int64_t>(lengths_.size());
        for (size_t k = 0; k < lengths_.size(); ++k) {
            place += positionIn(static_cast<int64_t>(tuple[k]), k) * strides_[k];
        }
        return place;
    }

private:
    int64_t positionIn(int64_t index, size_t k) const;

    int64_t count_ = 1;
    int64_t perBatch_ = 1;
    int64_t batchStride_ = 0;
    int64_t sliceCount_ = 1;
    std::vector<int64_t> lengths_;  // of the addressed axes
    std::vector<int64_t> strides_;
};

}  // namespace temper
