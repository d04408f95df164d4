// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/depthwise/taps_cpu.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "engine/runtime/kernels/blockable_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/conv/depthwise/taps_cpu.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using simd::TapColumns;
using simd::TapGradient;
using simd::TapRows;

using TapTag = hn::CappedTag<float, static_cast<size_t>(kChannelBlock)>;
using TapVector = hn::Vec<TapTag>;

/// Outputs that share the loads of weights and pixels.
constexpr size_t kMaxOutputs = 8;
/// Adjacent outputs with sums of their own, which all fit into registers.
template <size_t taps>
constexpr size_t kOutputsOfGradient = taps == 3 ? 4 : 2;

HWY_INLINE int64_t lanesOfTap() { return static_cast<int64_t>(hn::Lanes(TapTag())); }
HWY_INLINE TapVector load(const float* from) { return hn::LoadU(TapTag(), from); }

/// `outputs` adjacent outputs from `first` on, whose taps are all inside.
template <size_t taps, size_t stride, size_t outputs>
HWY_NOINLINE void sumInside(const TapRows& rows, const float* row, float* to, int64_t first) {
    const TapTag d;
    const float* pixels =
        row + (rows.columns.start + first * static_cast<int64_t>(stride)) * kChannelBlock;
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfTap()) {
        const TapVector bias = rows.bias == nullptr ? hn::Zero(d) : load(rows.bias + c);
        TapVector sums[outputs];
        HWY_UNROLL(8)
        for (size_t o = 0; o < outputs; ++o) sums[o] = bias;
        const float *x = pixels + c, *w = rows.weights + c;
        for (int64_t r = 0; r < rows.taps; ++r, x += rows.rowStrideX, w += taps * kChannelBlock) {
            TapVector weights[taps];
            HWY_UNROLL(5)
            for (size_t k = 0; k < taps; ++k) weights[k] = load(w + k * kChannelBlock);
            HWY_UNROLL(19)
            for (size_t i = 0; i < (outputs - 1) * stride + taps; ++i) {
                const TapVector pixel = load(x + i * kChannelBlock);
                HWY_UNROLL(5)
                for (size_t k = 0; k < taps; ++k) {
                    if (i < k || (i - k) % stride != 0 || (i - k) / stride >= outputs) continue;
                    TapVector& sum = sums[(i - k) / stride];
                    sum = hn::MulAdd(pixel, weights[k], sum);
                }
            }
        }
        float* y = to + first * rows.columnStrideY + c;
        HWY_UNROLL(8)
        for (size_t o = 0; o < outputs; ++o) hn::StoreU(sums[o], d, y + o * rows.columnStrideY);
    }
}

/// An output with taps outside.
template <size_t taps>
void sumAtEdge(const TapRows& rows, const float* row, float* to, int64_t output) {
    const TapTag d;
    const int64_t first = rows.columns.start + output * rows.columns.stride;
    const int64_t begin = std::max<int64_t>(-first, 0),
                  end = std::min(static_cast<int64_t>(taps), rows.columns.input - first);
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfTap()) {
        TapVector sum = rows.bias == nullptr ? hn::Zero(d) : load(rows.bias + c);
        const float *x = row + first * kChannelBlock + c, *w = rows.weights + c;
        for (int64_t r = 0; r < rows.taps; ++r, x += rows.rowStrideX, w += taps * kChannelBlock) {
            for (int64_t k = begin; k < end; ++k)
                sum = hn::MulAdd(load(x + k * kChannelBlock), load(w + k * kChannelBlock), sum);
        }
        hn::StoreU(sum, d, to + output * rows.columnStrideY + c);
    }
}

using InsideKernel = void (*)(const TapRows&, const float*, float*, int64_t);

template <size_t taps, size_t stride, size_t... i>
constexpr std::array<InsideKernel, sizeof...(i)> insideKernels(std::index_sequence<i...>) {
    return {sumInside<taps, stride, i + 1>...};
}

/// As many of the next outputs as are computed together: the last ones in equal shares.
HWY_INLINE int64_t outputsAtOnce(int64_t left) {
    constexpr auto most = static_cast<int64_t>(kMaxOutputs);
    if (left >= 2 * most) return most;
    return left > most ? (left + 1) / 2 : left;
}

template <size_t taps, size_t stride>
void sumTapsLoop(const TapRows& rows) {
    static constexpr auto kKernels =
        insideKernels<taps, stride>(std::make_index_sequence<kMaxOutputs>());
    const auto [begin, end] = rows.inside;
    for (int64_t i = 0; i < rows.count; ++i) {
        const float* x = rows.x + i * rows.rowStepX;
        float* y = rows.y + i * rows.rowStrideY;
        for (int64_t o = 0; o < begin; ++o) sumAtEdge<taps>(rows, x, y, o);
        for (int64_t o = begin; o < end;) {
            const int64_t count = outputsAtOnce(end - o);
            kKernels[static_cast<size_t>(count - 1)](rows, x, y, o);
            o += count;
        }
        for (int64_t o = end; o < rows.columns.outputs; ++o) sumAtEdge<taps>(rows, x, y, o);
    }
}

void sumTapsOfRows(const TapRows& rows) {
    const int64_t taps = rows.columns.taps;
    if (rows.columns.stride == 2)
        return taps == 3 ? sumTapsLoop<3, 2>(rows) : sumTapsLoop<5, 2>(rows);
    if (taps == 1) return sumTapsLoop<1, 1>(rows);
    if (taps == 2) return sumTapsLoop<2, 1>(rows);
    return taps == 3 ? sumTapsLoop<3, 1>(rows) : sumTapsLoop<5, 1>(rows);
}

/// Sums of each tap.
template <size_t taps>
struct TapSums {
    TapVector of[kOutputsOfGradient<taps>][taps];
};

/// `outputs` adjacent outputs whose taps are all inside.
template <size_t taps, size_t stride, size_t outputs>
HWY_INLINE void addInside(const float* x, const float* dy, TapSums<taps>& sums) {
    TapVector gradients[outputs];
    HWY_UNROLL(4)
    for (size_t o = 0; o < outputs; ++o) gradients[o] = load(dy + o * kChannelBlock);
    HWY_UNROLL(11)
    for (size_t i = 0; i < (outputs - 1) * stride + taps; ++i) {
        const TapVector pixel = load(x + i * kChannelBlock);
        HWY_UNROLL(5)
        for (size_t k = 0; k < taps; ++k) {
            if (i < k || (i - k) % stride != 0 || (i - k) / stride >= outputs) continue;
            TapVector& sum = sums.of[(i - k) / stride][k];
            sum = hn::MulAdd(pixel, gradients[(i - k) / stride], sum);
        }
    }
}

/// An output with taps outside: at column `first` for tap 0.
template <size_t taps>
HWY_INLINE void addAtEdge(const float* x, const float* dy, int64_t first, int64_t input,
                          TapVector (&sums)[taps]) {
    const TapVector gradient = load(dy);
    HWY_UNROLL(5)
    for (size_t k = 0; k < taps; ++k) {
        const int64_t column = first + static_cast<int64_t>(k);
        if (column < 0 || column >= input) continue;
        sums[k] = hn::MulAdd(load(x + column * kChannelBlock), gradient, sums[k]);
    }
}

template <size_t taps, size_t stride>
void addGradientsLoop(const TapGradient& g) {
    const TapTag d;
    constexpr size_t kOutputs = kOutputsOfGradient<taps>;
    constexpr auto step = static_cast<int64_t>(stride * kChannelBlock);
    constexpr auto most = static_cast<int64_t>(kOutputs);
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfTap()) {
        TapSums<taps> sums;
        HWY_UNROLL(4)
        for (size_t o = 0; o < kOutputs; ++o) {
            HWY_UNROLL(5)
            for (size_t k = 0; k < taps; ++k) sums.of[o][k] = hn::Zero(d);
        }
        for (int64_t r = 0; r < g.rows; ++r) {
            const float *x = g.x + r * g.rowStrideX + c, *dy = g.dy + r * g.rowStrideDy + c;
            const auto firstColumn = [&](int64_t o) HWY_ATTR {
                return g.columns.start + o * static_cast<int64_t>(stride);
            };
            for (int64_t o = 0; o < g.inside.begin; ++o)
                addAtEdge<taps>(x, dy + o * kChannelBlock, firstColumn(o), g.columns.input,
                                sums.of[kOutputs - 1]);
            const float* pixels = x + g.columns.start * kChannelBlock;
            int64_t o = g.inside.begin;
            for (; o + most <= g.inside.end; o += most)
                addInside<taps, stride, kOutputs>(pixels + o * step, dy + o * kChannelBlock, sums);
            if (kOutputs > 2 && o + 2 <= g.inside.end) {
                addInside<taps, stride, 2>(pixels + o * step, dy + o * kChannelBlock, sums);
                o += 2;
            }
            if (o < g.inside.end)
                addInside<taps, stride, 1>(pixels + o * step, dy + o * kChannelBlock, sums);
            for (o = g.inside.end; o < g.columns.outputs; ++o)
                addAtEdge<taps>(x, dy + o * kChannelBlock, firstColumn(o), g.columns.input,
                                sums.of[kOutputs - 2]);
        }
        HWY_UNROLL(5)
        for (size_t k = 0; k < taps; ++k) {
            TapVector total = sums.of[0][k];
            HWY_UNROLL(4)
            for (size_t o = 1; o < kOutputs; ++o) total = hn::Add(total, sums.of[o][k]);
            float* sum = g.sums + k * kChannelBlock + c;
            hn::StoreU(hn::Add(load(sum), total), d, sum);
        }
    }
}

void addGradientsOfTaps(const TapGradient& g) {
    if (g.columns.stride == 2)
        return g.columns.taps == 3 ? addGradientsLoop<3, 2>(g) : addGradientsLoop<5, 2>(g);
    return g.columns.taps == 3 ? addGradientsLoop<3, 1>(g) : addGradientsLoop<5, 1>(g);
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(sumTapsOfRows);
HWY_EXPORT(addGradientsOfTaps);
}  // namespace

namespace simd {

TapColumns::Inside TapColumns::inside() const {
    const int64_t begin = std::clamp<int64_t>((stride - 1 - start) / stride, 0, outputs);
    const int64_t room = input - taps - start;  // from the first output to the last
    if (room < 0) return {begin, begin};
    return {begin, std::clamp(room / stride + 1, begin, outputs)};
}

void sumTaps(const TapRows& rows) { HWY_DYNAMIC_DISPATCH(sumTapsOfRows)(rows); }

void addTapGradients(const TapGradient& gradient) {
    HWY_DYNAMIC_DISPATCH(addGradientsOfTaps)(gradient);
}

}  // namespace simd
}  // namespace temper
#endif
