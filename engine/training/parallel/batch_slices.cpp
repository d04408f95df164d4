// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/batch_slices.h"

#include <memory>
#include <utility>

namespace temper {
namespace {

/// Rows [begin, end) of a tensor; its memory is shared.
Tensor rowsOf(const Tensor& tensor, int64_t begin, int64_t end) {
    const int64_t rows = tensor.shape().front();
    if (begin == 0 && end == rows) return tensor;
    Shape shape = tensor.shape();
    shape.front() = end - begin;
    const size_t rowBytes = rows > 0 ? tensor.byteSize() / static_cast<size_t>(rows) : 0;
    return Tensor::wrap(tensor.dtype(), std::move(shape), std::make_shared<Tensor>(tensor),
                        tensor.address() + static_cast<size_t>(begin) * rowBytes, tensor.memory());
}

}  // namespace

PartRange sliceOf(int64_t size, int64_t slice, int64_t slices) {
    return {size * slice / slices, size * (slice + 1) / slices};
}

std::vector<Tensor> rowsOf(const Batch& batch, PartRange samples) {
    std::vector<Tensor> rows;
    for (const Tensor& tensor : batch.tensors)
        rows.push_back(
            rowsOf(tensor, samples.begin - batch.firstRow, samples.end - batch.firstRow));
    return rows;
}

}  // namespace temper
