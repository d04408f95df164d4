// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/core/thread_pool.h"
#include "engine/runtime/cpu/block_product.h"
#include "engine/runtime/cpu/gemm.h"

namespace temper {

/// The matrix [k, n] that each time step multiplies by. Copied into panels once, one in single
/// precision is read faster than gemm() can, which would pack it in each step.
template <typename T>
struct StepFactor {
    int64_t k = 0;
    int64_t n = 0;
    const T* data = nullptr;  ///< dense
    bool isByColumns = false;
    bool isPacked = false;  ///< in panels

    static constexpr bool kHasPanels = std::is_same_v<T, float>;

    /// Of the panels; 0 if there are none.
    size_t packedBytes() const {
        return kHasPanels ? static_cast<size_t>(panelElements(k, n)) * sizeof(T) : 0;
    }
    void pack(ThreadPool& pool, std::byte* memory) const {
        if constexpr (kHasPanels)
            packPanels(pool, {data, isByColumns ? k : n, isByColumns}, k, n,
                       reinterpret_cast<T*>(memory));
    }
    /// The same factor, which pack() has copied there.
    StepFactor packedAt(const std::byte* memory) const {
        StepFactor factor = *this;
        factor.isPacked = kHasPanels;
        if (kHasPanels) factor.data = reinterpret_cast<const T*>(memory);
        return factor;
    }

    /// c[rows, n] = a[rows, k] B + beta c
    void multiply(int64_t rows, const T* a, int64_t strideA, T beta, T* c, int64_t strideC) const {
        if constexpr (kHasPanels) {
            if (isPacked) {
                multiplyInBlocks({.m = rows,
                                  .n = n,
                                  .k = k,
                                  .a = a,
                                  .rowStrideA = strideA,
                                  .b = data,
                                  .panelStrideB = k * kPanelColumns,
                                  .c = c,
                                  .rowStrideC = strideC,
                                  .beta = beta});
                return;
            }
        }
        const MatrixProduct product{.m = rows,
                                    .n = n,
                                    .k = k,
                                    .transB = isByColumns,
                                    .rowStrideA = strideA,
                                    .rowStrideB = isByColumns ? k : n,
                                    .rowStrideC = strideC};
        gemm(product, T{1}, a, data, beta, c);
    }
};

}  // namespace temper
