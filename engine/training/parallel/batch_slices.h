// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/distributed/sum_tree.h"

namespace temper {

/// Which of the `size` samples of a batch belong to slice `slice` of `slices`.
PartRange sliceOf(int64_t size, int64_t slice, int64_t slices);
/// The batch's tensors with these samples only; their memory is shared.
std::vector<Tensor> rowsOf(const Batch& batch, PartRange samples);

}  // namespace temper
