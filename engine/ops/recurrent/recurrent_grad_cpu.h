// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/ops/recurrent/recurrent_cells_cpu.h"
#include "engine/runtime/cpu/gemm.h"
#include "engine/runtime/kernel.h"

namespace temper {

// Pieces of LSTMGrad and GRUGrad. Sequences are [T, 1, B, ...], gates [T, 1, B, gates H].

/// C = op(A) B + beta C, dense or with the strides given, in tiles that threads share.
template <typename T>
void tiledProduct(ThreadPool& pool, const MatrixProduct& product, const T* a, const T* b, T beta,
                  T* c) {
    const MatrixTiles tiles(product);
    pool.forEach(tiles.count(), [&](int64_t i) {
        const auto tile = tiles.tile(i);
        gemm(tile.product, T{1}, a + tile.offsetA, b + tile.offsetB, beta, c + tile.offsetC);
    });
}

/// Columns of a matrix of gate gradients, for products with what the gates were computed from.
template <typename T>
struct GateColumns {
    const T* data = nullptr;
    int64_t count = 0;   ///< columns that are used
    int64_t stride = 0;  ///< columns that there are
};

/// weights[count, H] = sum over time of gatesᵀ H(t - 1); `initial` is H(-1), zero if it is null.
template <typename T>
void multiplyByPreviousStates(ThreadPool& pool, const RecurrentSizes& sizes,
                              const GateColumns<T>& gates, const T* states, const T* initial,
                              T* weights) {
    MatrixProduct product{.m = gates.count,
                          .n = sizes.hidden,
                          .k = std::max<int64_t>(sizes.time - 1, 0) * sizes.batch,
                          .transA = true,
                          .rowStrideA = gates.stride,
                          .rowStrideB = sizes.hidden,
                          .rowStrideC = sizes.hidden};
    const T* later = sizes.time > 0 ? gates.data + sizes.batch * gates.stride : gates.data;
    tiledProduct(pool, product, later, states, T{0}, weights);
    if (initial == nullptr || sizes.time == 0) return;
    product.k = sizes.batch;
    tiledProduct(pool, product, gates.data, initial, T{1}, weights);
}

/// weights[count, columns] = gatesᵀ x, over all rows of time and batch.
template <typename T>
void multiplyByRows(ThreadPool& pool, const RecurrentSizes& sizes, const GateColumns<T>& gates,
                    const T* x, int64_t columns, T* weights) {
    const MatrixProduct product{.m = gates.count,
                                .n = columns,
                                .k = sizes.rows(),
                                .transA = true,
                                .rowStrideA = gates.stride,
                                .rowStrideB = columns,
                                .rowStrideC = columns};
    tiledProduct(pool, product, gates.data, x, T{0}, weights);
}

/// dX[T B, I] = gates[T B, gates H] W
template <typename T>
void multiplyByInputWeights(ThreadPool& pool, const RecurrentSizes& sizes, const T* gates,
                            const T* weights, T* dx) {
    MatrixProduct product{.m = sizes.rows(), .n = sizes.input, .k = sizes.gateColumns()};
    product.setDenseStrides();
    tiledProduct(pool, product, gates, weights, T{0}, dx);
}

/// sums[j] = sum over the rows r of term(r, j), rows in order, in double precision.
template <typename T, typename F>
void sumOverRows(ThreadPool& pool, int64_t rows, int64_t columns, T* sums, const F& term) {
    constexpr int64_t kColumns = 64;
    pool.forRanges(columns, kColumns, [&](int64_t begin, int64_t end) {
        double totals[kColumns];
        for (int64_t from = begin; from < end; from += kColumns) {
            const int64_t count = std::min(kColumns, end - from);
            std::fill(totals, totals + count, 0.0);
            for (int64_t row = 0; row < rows; ++row) {
                for (int64_t j = 0; j < count; ++j) {
                    totals[j] += static_cast<double>(term(row, from + j));
                }
            }
            std::transform(totals, totals + count, sums + from,
                           [](double total) { return static_cast<T>(total); });
        }
    });
}

/// The state of a batch entry after the step before t: a row of `states`, of `initial` or, if that
/// is null, of zeros.
template <typename T>
struct PreviousStates {
    const T* states = nullptr;
    const T* initial = nullptr;
    const T* zeros = nullptr;
    int64_t batch = 0;
    int64_t hidden = 0;

    const T* row(int64_t t, int64_t b) const {
        if (t > 0) return states + ((t - 1) * batch + b) * hidden;
        return initial != nullptr ? initial + b * hidden : zeros;
    }
};

/// The gradient of the final state, as the walk back through time starts from it.
template <typename T>
void loadFinalGradient(const T* gradient, int64_t begin, int64_t count, int64_t hidden, T* state) {
    if (gradient == nullptr) {
        std::fill(state, state + count * hidden, T{0});
    } else {
        std::copy(gradient + begin * hidden, gradient + (begin + count) * hidden, state);
    }
}

}  // namespace temper
