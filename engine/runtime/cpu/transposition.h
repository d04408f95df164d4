// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper {

/// Writes the transpose of `from` [rows, columns], whose rows are `rowStride` elements apart, to
/// `to` [columns, rows], whose rows are `toStride` apart. On the calling thread.
void transposeMatrix(const float* from, int64_t rowStride, int64_t rows, int64_t columns, float* to,
                     int64_t toStride);

}  // namespace temper
