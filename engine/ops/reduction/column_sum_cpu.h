// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "engine/runtime/kernels/row_kernel.h"

namespace temper {

/// Fewer columns are not worth vectors.
inline constexpr int64_t kMinSummedColumns = 16;

/// The sum of the rows of a float array [rows, columns], or their mean. Columns are summed in float
/// over 32 rows, then in double.
std::unique_ptr<Kernel> makeColumnSum(int64_t rows, int64_t columns, bool isMean);

}  // namespace temper
