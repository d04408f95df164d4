// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/block_product.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "engine/runtime/cpu/transposition.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/runtime/cpu/block_product.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, static_cast<size_t>(kPanelColumns) / 2>;
using Vector = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;

// Rows of C that are computed together: two vectors for each, one of A's numbers and two vectors of
// B fill the registers, of which AVX-512 has 32 and the others 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int64_t kMaxRows = 12;
#else
constexpr int64_t kMaxRows = 6;
#endif

/// Some columns of B, at most two vectors of them, times some rows of A.
struct Strip {
    const float* a;
    const float* b;
    float* c;
    int64_t lastColumns;  ///< of the last vector
};

HWY_INLINE Vector loadPart(Tag d, Mask isWithin, const float* from, bool isWhole) {
    return isWhole ? hn::LoadU(d, from) : hn::MaskedLoad(isWithin, d, from);
}

/// C[rows, vectors] of `strip`. The loops over rows and vectors are unrolled so that `sums` are
/// registers.
template <size_t rows, size_t vectors, bool isWhole>
HWY_NOINLINE void multiplyStrip(const BlockProduct& p, const Strip& strip) {
    const Tag d;
    const size_t lanes = hn::Lanes(d);
    const Mask isWithin = hn::FirstN(d, static_cast<size_t>(strip.lastColumns));
    Vector sums[rows][vectors];
    HWY_UNROLL(12)
    for (size_t i = 0; i < rows; ++i) {
        HWY_UNROLL(2)
        for (size_t j = 0; j < vectors; ++j) sums[i][j] = hn::Zero(d);
    }
    const float* a = strip.a;
    const float* b = strip.b;
    for (int64_t k = 0; k < p.k; ++k) {
        Vector columns[vectors];
        HWY_UNROLL(2)
        for (size_t j = 0; j < vectors; ++j)
            columns[j] = loadPart(d, isWithin, b + j * lanes, isWhole || j + 1 < vectors);
        HWY_UNROLL(12)
        for (size_t i = 0; i < rows; ++i) {
            const Vector factor = hn::Set(d, a[static_cast<int64_t>(i) * p.rowStrideA]);
            HWY_UNROLL(2)
            for (size_t j = 0; j < vectors; ++j)
                sums[i][j] = hn::MulAdd(factor, columns[j], sums[i][j]);
        }
        a += p.columnStrideA;
        b += p.rowStrideB;
    }
    const Vector alpha = hn::Set(d, p.alpha), beta = hn::Set(d, p.beta);
    const bool replaces = p.beta == 0.0F;
    HWY_UNROLL(12)
    for (size_t i = 0; i < rows; ++i) {
        HWY_UNROLL(2)
        for (size_t j = 0; j < vectors; ++j) {
            const bool isPart = !isWhole && j + 1 == vectors;
            float* c = strip.c + static_cast<int64_t>(i) * p.rowStrideC + j * lanes;
            Vector value = hn::Mul(sums[i][j], alpha);
            if (!replaces) value = hn::MulAdd(loadPart(d, isWithin, c, !isPart), beta, value);
            if (isPart) {
                hn::BlendedStore(value, isWithin, d, c);
            } else {
                hn::StoreU(value, d, c);
            }
        }
    }
}

using StripKernel = void (*)(const BlockProduct&, const Strip&);

template <size_t vectors, bool isWhole, size_t... i>
constexpr std::array<StripKernel, sizeof...(i)> stripKernels(std::index_sequence<i...>) {
    return {multiplyStrip<i + 1, vectors, isWhole>...};
}

template <size_t vectors, bool isWhole>
StripKernel stripKernel(int64_t rows) {
    static constexpr auto kKernels =
        stripKernels<vectors, isWhole>(std::make_index_sequence<size_t{kMaxRows}>());
    return kKernels[static_cast<size_t>(rows - 1)];
}

StripKernel stripKernel(int64_t rows, int64_t columns, int64_t lanes) {
    if (columns == 2 * lanes) return stripKernel<2, true>(rows);
    if (columns > lanes) return stripKernel<2, false>(rows);
    return columns == lanes ? stripKernel<1, true>(rows) : stripKernel<1, false>(rows);
}

/// Each strip of B stays in the cache while A passes.
void multiplyBlockLoop(const BlockProduct& p) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(Tag()));
    const int64_t groups = (p.m + kMaxRows - 1) / kMaxRows;
    for (int64_t column = 0; column < p.n; column += 2 * lanes) {
        const int64_t columns = std::min(2 * lanes, p.n - column);
        Strip strip{};
        strip.b = p.b + column / kPanelColumns * p.panelStrideB + column % kPanelColumns;
        strip.lastColumns = columns > lanes ? columns - lanes : columns;
        for (int64_t group = 0; group < groups; ++group) {
            const int64_t row = p.m * group / groups;
            const int64_t rows = p.m * (group + 1) / groups - row;
            strip.a = p.a + row * p.rowStrideA;
            strip.c = p.c + row * p.rowStrideC + column;
            stripKernel(rows, columns, lanes)(p, strip);
        }
    }
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(multiplyBlockLoop);

/// Columns [column, column + columns) of the matrix, at most kPanelColumns.
void packPanel(const StoredMatrix& matrix, int64_t column, int64_t columns, int64_t k,
               float* panel) {
    if (matrix.isByColumns) {
        transposeMatrix(matrix.data + column * matrix.stride, matrix.stride, columns, k, panel,
                        kPanelColumns);
        return;
    }
    for (int64_t row = 0; row < k; ++row)
        std::copy_n(matrix.data + row * matrix.stride + column, columns,
                    panel + row * kPanelColumns);
}
}  // namespace

void multiplyBlock(const BlockProduct& product) {
    HWY_DYNAMIC_DISPATCH(multiplyBlockLoop)(product);
}

void multiplyInBlocks(const BlockProduct& product) {
    constexpr int64_t kRows = 48, kInner = 256;
    const int64_t parts = std::max<int64_t>((product.k + kInner - 1) / kInner, 1);
    BlockProduct block = product;
    for (int64_t row = 0; row < product.m; row += kRows) {
        block.m = std::min(kRows, product.m - row);
        block.c = product.c + row * product.rowStrideC;
        block.beta = product.beta;
        for (int64_t part = 0; part < parts; ++part) {
            const int64_t k = product.k * part / parts;
            block.k = product.k * (part + 1) / parts - k;
            block.a = product.a + row * product.rowStrideA + k * product.columnStrideA;
            block.b = product.b + k * product.rowStrideB;
            multiplyBlock(block);
            block.beta = 1.0F;
        }
    }
}

void packPanels(ThreadPool& pool, const StoredMatrix& matrix, int64_t k, int64_t n, float* panels) {
    constexpr int64_t kGrain = 4 * kPanelColumns;
    pool.forRanges(n, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t column = begin; column < end; column += kPanelColumns)
            packPanel(matrix, column, std::min(kPanelColumns, n - column), k, panels + column * k);
    });
}

}  // namespace temper
#endif
