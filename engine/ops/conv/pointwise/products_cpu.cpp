// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/pointwise/products_cpu.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "engine/runtime/kernels/blockable_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/conv/pointwise/products_cpu.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using simd::PixelGradient;
using simd::PixelProduct;

using PixelTag = hn::CappedTag<float, static_cast<size_t>(kChannelBlock)>;
using PixelVector = hn::Vec<PixelTag>;

/// Pixels whose sums are all registers, with some vectors each. AVX-512 has 32 registers, the
/// others 16.
template <size_t vectors>
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr size_t kMostRows = 24 / vectors;
#else
constexpr size_t kMostRows = 12 / vectors;
#endif

/// Pixels of gradients that are read ahead, across the pages of memory.
constexpr int64_t kPixelsAhead = 32;

HWY_INLINE int64_t lanesOfPixel() { return static_cast<int64_t>(hn::Lanes(PixelTag())); }

/// Some vectors of channels of y, with the distance between them.
struct Columns {
    const float* weights;
    int64_t weightStride;
    const float* bias;
    float* y;
    int64_t yStride;
};

/// `rows` pixels from `first` on.
template <size_t rows, size_t vectors>
HWY_NOINLINE void multiplyRows(const PixelProduct& p, const Columns& columns, int64_t first) {
    const PixelTag d;
    PixelVector sums[rows][vectors];
    HWY_UNROLL(2)
    for (size_t j = 0; j < vectors; ++j) {
        const PixelVector bias =
            hn::LoadU(d, columns.bias + static_cast<int64_t>(j) * lanesOfPixel());
        HWY_UNROLL(24)
        for (size_t i = 0; i < rows; ++i) sums[i][j] = bias;
    }
    float* y = columns.y + first * kChannelBlock;
    HWY_UNROLL(24)
    for (size_t i = 0; i < rows; ++i) {  // the next pixels, here and below
        hwy::Prefetch(y + (rows + i) * kChannelBlock);
        if (vectors == 2 && lanesOfPixel() == kChannelBlock)
            hwy::Prefetch(y + (rows + i) * kChannelBlock + columns.yStride);
    }
    const float* w = columns.weights;
    const float* block = p.x + first * kChannelBlock;
    for (int64_t rest = p.channels; rest > 0; rest -= kChannelBlock, block += p.blockStrideX) {
        const float* x = block;
        HWY_UNROLL(24)
        for (size_t i = 0; i < rows; ++i) hwy::Prefetch(x + (rows + i) * kChannelBlock);
        for (const float* end = x + std::min(rest, kChannelBlock); x < end;
             ++x, w += kChannelBlock) {
            PixelVector weights[vectors];
            HWY_UNROLL(2)
            for (size_t j = 0; j < vectors; ++j)
                weights[j] = hn::LoadU(d, w + static_cast<int64_t>(j) * columns.weightStride);
            HWY_UNROLL(24)
            for (size_t i = 0; i < rows; ++i) {
                const PixelVector pixel = hn::Set(d, x[i * kChannelBlock]);
                HWY_UNROLL(2)
                for (size_t j = 0; j < vectors; ++j)
                    sums[i][j] = hn::MulAdd(pixel, weights[j], sums[i][j]);
            }
        }
    }
    HWY_UNROLL(24)
    for (size_t i = 0; i < rows; ++i) {
        HWY_UNROLL(2)
        for (size_t j = 0; j < vectors; ++j)
            hn::StoreU(sums[i][j], d,
                       y + i * kChannelBlock + static_cast<int64_t>(j) * columns.yStride);
    }
}

using RowsKernel = void (*)(const PixelProduct&, const Columns&, int64_t);

template <size_t vectors, size_t... i>
constexpr std::array<RowsKernel, sizeof...(i)> rowsKernels(std::index_sequence<i...>) {
    return {multiplyRows<i + 1, vectors>...};
}

template <size_t vectors>
void multiplyColumns(const PixelProduct& p, const Columns& columns) {
    static constexpr auto kKernels =
        rowsKernels<vectors>(std::make_index_sequence<kMostRows<vectors>>());
    const auto most = static_cast<int64_t>(kMostRows<vectors>);
    const int64_t groups = (p.pixels + most - 1) / most;
    for (int64_t group = 0; group < groups; ++group) {
        const int64_t begin = p.pixels * group / groups, end = p.pixels * (group + 1) / groups;
        kKernels[static_cast<size_t>(end - begin - 1)](p, columns, begin);
    }
}

void multiplyPixelsLoop(const PixelProduct& p) {
    const int64_t lanes = lanesOfPixel();
    const bool isWhole = lanes == kChannelBlock;
    const int64_t panel = p.channels * kChannelBlock;
    for (int64_t j = 0; j < p.results; j += 2 * lanes) {
        const int64_t block = j / kChannelBlock, lane = j % kChannelBlock;
        const Columns columns{p.weights + block * panel + lane, isWhole ? panel : lanes, p.bias + j,
                              p.y + block * p.blockStrideY + lane,
                              isWhole ? p.blockStrideY : lanes};
        if (j + lanes < p.results) {
            multiplyColumns<2>(p, columns);
        } else {
            multiplyColumns<1>(p, columns);
        }
    }
}

/// Some vectors of channels of x and their sums, with the distances between them.
struct GradientColumns {
    const float* x;
    int64_t xStride;
    float* sums;
    int64_t sumStride;
};

/// Rows [first, first + rows) of the sums.
template <size_t rows, size_t vectors>
HWY_NOINLINE void addRows(const PixelGradient& g, const GradientColumns& columns, int64_t first) {
    const PixelTag d;
    float* totals = columns.sums + first * kChannelBlock;
    const auto total = [&](size_t i, size_t j) HWY_ATTR {
        return totals + i * kChannelBlock + static_cast<int64_t>(j) * columns.sumStride;
    };
    PixelVector sums[rows][vectors];
    HWY_UNROLL(16)
    for (size_t i = 0; i < rows; ++i) {
        HWY_UNROLL(2)
        for (size_t j = 0; j < vectors; ++j) sums[i][j] = hn::LoadU(d, total(i, j));
    }
    const float *x = columns.x, *dy = g.dy + first;
    for (int64_t p = 0; p < g.pixels; ++p, x += kChannelBlock, dy += kChannelBlock) {
        hwy::Prefetch(dy + kPixelsAhead * kChannelBlock);
        PixelVector pixels[vectors];
        HWY_UNROLL(2)
        for (size_t j = 0; j < vectors; ++j)
            pixels[j] = hn::LoadU(d, x + static_cast<int64_t>(j) * columns.xStride);
        HWY_UNROLL(16)
        for (size_t i = 0; i < rows; ++i) {
            const PixelVector gradient = hn::Set(d, dy[i]);
            HWY_UNROLL(2)
            for (size_t j = 0; j < vectors; ++j)
                sums[i][j] = hn::MulAdd(gradient, pixels[j], sums[i][j]);
        }
    }
    HWY_UNROLL(16)
    for (size_t i = 0; i < rows; ++i) {
        HWY_UNROLL(2)
        for (size_t j = 0; j < vectors; ++j) hn::StoreU(sums[i][j], d, total(i, j));
    }
}

/// All rows that are wanted.
template <size_t vectors>
void addColumns(const PixelGradient& g, const GradientColumns& columns) {
    constexpr auto kHalf = static_cast<size_t>(kChannelBlock) / 2;
    const bool isWhole = lanesOfPixel() == kChannelBlock;
    if (g.rows <= static_cast<int64_t>(kHalf)) {
        if (isWhole) return addRows<kHalf, vectors>(g, columns, 0);
        addRows<4, vectors>(g, columns, 0);
        addRows<4, vectors>(g, columns, 4);
    } else if (isWhole) {
        addRows<kHalf, vectors>(g, columns, 0);
        addRows<kHalf, vectors>(g, columns, kHalf);
    } else {
        addRows<6, vectors>(g, columns, 0);
        addRows<5, vectors>(g, columns, 6);
        addRows<5, vectors>(g, columns, 11);
    }
}

void addPixelProductsLoop(const PixelGradient& g) {
    constexpr int64_t kSquare = kChannelBlock * kChannelBlock;
    const int64_t lanes = lanesOfPixel();
    const bool isWhole = lanes == kChannelBlock;
    for (int64_t c = 0; c < g.channels; c += 2 * lanes) {
        const int64_t block = c / kChannelBlock, lane = c % kChannelBlock;
        const GradientColumns columns{g.x + block * g.blockStrideX + lane,
                                      isWhole ? g.blockStrideX : lanes,
                                      g.sums + block * kSquare + lane, isWhole ? kSquare : lanes};
        if (c + lanes < g.channels) {
            addColumns<2>(g, columns);
        } else {
            addColumns<1>(g, columns);
        }
    }
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(multiplyPixelsLoop);
HWY_EXPORT(addPixelProductsLoop);
}  // namespace

namespace simd {

void multiplyPixels(const PixelProduct& product) {
    HWY_DYNAMIC_DISPATCH(multiplyPixelsLoop)(product);
}

void addPixelProducts(const PixelGradient& gradient) {
    HWY_DYNAMIC_DISPATCH(addPixelProductsLoop)(gradient);
}

}  // namespace simd
}  // namespace temper
#endif
