// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/core/thread_pool.h"

namespace temper {

/// Columns of B that are contiguous in memory: B is read in panels of this width (the last is
/// narrower).
inline constexpr int64_t kPanelColumns = 32;

/// C = alpha A B + beta C for blocks that fit in a core's caches; the innermost part of matrix
/// products. A may have any strides: each of its numbers is read separately. B's columns are
/// adjacent within a panel, which makes it a row-major matrix if panelStrideB = kPanelColumns.
struct BlockProduct {
    int64_t m = 0;  ///< rows of A and C
    int64_t n = 0;  ///< columns of B and C
    int64_t k = 0;  ///< columns of A, rows of B
    const float* a = nullptr;
    int64_t rowStrideA = 0;  ///< elements between A[i, k] and A[i + 1, k]
    int64_t columnStrideA = 1;
    const float* b = nullptr;
    int64_t rowStrideB = kPanelColumns;
    int64_t panelStrideB = kPanelColumns;
    float* c = nullptr;
    int64_t rowStrideC = 0;
    float alpha = 1.0F;
    float beta = 0.0F;  ///< with 0, C need not hold numbers
};

/// Uses the widest vector instructions of the machine, on the calling thread. Each element of C is
/// summed in the order of k, whatever m and n are.
void multiplyBlock(const BlockProduct& product);

/// The same for products of any size, in blocks that fit in the caches. Each element of C is the
/// sum of those of the blocks of k, which depend on k alone.
void multiplyInBlocks(const BlockProduct& product);

/// A matrix as it is stored: by rows, or by columns.
struct StoredMatrix {
    const float* data = nullptr;
    int64_t stride = 0;  ///< elements between its rows, or its columns
    bool isByColumns = false;
};

/// Elements of a k x n matrix in panels of k * kPanelColumns, the last of which has unused ones.
constexpr int64_t panelElements(int64_t k, int64_t n) {
    return (n + kPanelColumns - 1) / kPanelColumns * kPanelColumns * k;
}

/// Copies a k x n matrix into panels.
void packPanels(ThreadPool& pool, const StoredMatrix& matrix, int64_t k, int64_t n, float* panels);

}  // namespace temper
