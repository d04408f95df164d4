// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/core/half.h"
#include "engine/core/wrapping.h"

namespace temper {

/// Sizes and strides of C = alpha * op(A) * op(B) + beta * C; all row-major.
struct MatrixProduct {
    int64_t m = 0;           ///< rows of C
    int64_t n = 0;           ///< columns of C
    int64_t k = 0;           ///< columns of op(A), rows of op(B)
    bool transA = false;     ///< A is stored [k, m]
    bool transB = false;     ///< B is stored [n, k]
    int64_t rowStrideA = 0;  ///< elements between the rows of A as stored
    int64_t rowStrideB = 0;
    int64_t rowStrideC = 0;

    int64_t flops() const { return 2 * m * n * k; }
    /// The strides of dense matrices.
    void setDenseStrides() {
        rowStrideA = transA ? m : k;
        rowStrideB = transB ? k : n;
        rowStrideC = n;
    }
};

/// C cut into tiles of one size (the last ones smaller), for products that several threads share.
/// The tiling depends only on the sizes.
class MatrixTiles {
public:
    /// `products`: the number of products of this size that are computed together.
    explicit MatrixTiles(const MatrixProduct& product, int64_t products = 1);
    struct Extent {
        int64_t rows = 1;
        int64_t columns = 1;
    };
    /// Tiles of this size.
    MatrixTiles(const MatrixProduct& product, Extent extent);

    int64_t count() const { return rowTiles_ * columnTiles_; }
    /// The part of `product` that computes tile `i`, and its offsets in A, B and C.
    struct Tile {
        MatrixProduct product;
        int64_t row = 0;
        int64_t column = 0;
        int64_t offsetA = 0;
        int64_t offsetB = 0;
        int64_t offsetC = 0;
    };
    Tile tile(int64_t i) const;

private:
    /// A size that occupies several threads.
    static Extent extentFor(const MatrixProduct& product, int64_t products);

    MatrixProduct product_;
    Extent extent_;
    int64_t rowTiles_ = 1;
    int64_t columnTiles_ = 1;
};

/// Single precision through oneDNN, on the calling thread.
/// With beta = 0, C need not hold numbers.
void gemm(const MatrixProduct& product, float alpha, const float* a, const float* b, float beta,
          float* c);

/// bfloat16 through oneDNN, summed in float32, on the calling thread; if bfloat16Units().
/// With beta = 0, C need not hold numbers.
void gemm(const MatrixProduct& product, float alpha, const BFloat16* a, const BFloat16* b,
          float beta, float* c);
/// Whether oneDNN contains that product.
bool hasBFloat16Gemm();

/// Any other arithmetic type, on the calling thread: for checks in double precision and for
/// integers, not for speed.
template <typename T>
void gemm(const MatrixProduct& p, T alpha, const T* a, const T* b, T beta, T* c) {
    const int64_t stepA = p.transA ? p.rowStrideA : 1;
    const int64_t stepB = p.transB ? 1 : p.rowStrideB;
    const int64_t columnB = p.transB ? p.rowStrideB : 1;
    for (int64_t i = 0; i < p.m; ++i) {
        const T* row = a + i * (p.transA ? 1 : p.rowStrideA);
        for (int64_t j = 0; j < p.n; ++j) {
            T sum{};
            for (int64_t k = 0; k < p.k; ++k)
                sum =
                    wrappingAdd(sum, wrappingMultiply(row[k * stepA], b[k * stepB + j * columnB]));
            T& target = c[i * p.rowStrideC + j];
            const T before = beta == T{} ? T{} : wrappingMultiply(beta, target);
            target = wrappingAdd(wrappingMultiply(alpha, sum), before);
        }
    }
}

}  // namespace temper
