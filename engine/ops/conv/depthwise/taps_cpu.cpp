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

/// Whether the image has this column.
HWY_INLINE bool hasColumn(const TapColumns& columns, int64_t column) {
    return static_cast<uint64_t>(column) < static_cast<uint64_t>(columns.input);
}

/// Whether all taps of the outputs [begin, end) are inside the image.
HWY_INLINE bool areInside(const TapColumns::Inside& inside, int64_t begin, int64_t end) {
    return begin >= inside.begin && end <= inside.end;
}

/// `outputs` adjacent outputs from `first` on. Unless all taps are inside, each pixel is checked.
template <size_t taps, size_t stride, size_t outputs, bool isInside>
HWY_NOINLINE void sumOutputs(const TapRows& rows, const float* row, float* to, int64_t first) {
    const TapTag d;
    const int64_t column = rows.columns.start + first * static_cast<int64_t>(stride);
    const float* pixels = row + column * kChannelBlock;
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
                if (!isInside && !hasColumn(rows.columns, column + static_cast<int64_t>(i)))
                    continue;
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

using OutputsKernel = void (*)(const TapRows&, const float*, float*, int64_t);

template <size_t taps, size_t stride, bool isInside, size_t... i>
constexpr std::array<OutputsKernel, sizeof...(i)> outputsKernels(std::index_sequence<i...>) {
    return {sumOutputs<taps, stride, i + 1, isInside>...};
}

/// As many of the next outputs as are computed together: the last ones in equal shares.
HWY_INLINE int64_t outputsAtOnce(int64_t left) {
    constexpr auto most = static_cast<int64_t>(kMaxOutputs);
    if (left >= 2 * most) return most;
    return left > most ? (left + 1) / 2 : left;
}

template <size_t taps, size_t stride>
void sumTapsLoop(const TapRows& rows) {
    constexpr std::make_index_sequence<kMaxOutputs> counts;
    static constexpr auto kInside = outputsKernels<taps, stride, true>(counts),
                          kAtEdge = outputsKernels<taps, stride, false>(counts);
    for (int64_t i = 0; i < rows.count; ++i) {
        const float* x = rows.x + i * rows.rowStepX;
        float* y = rows.y + i * rows.rowStrideY;
        for (int64_t o = 0; o < rows.columns.outputs;) {
            const int64_t count = outputsAtOnce(rows.columns.outputs - o);
            const auto& kernels = areInside(rows.inside, o, o + count) ? kInside : kAtEdge;
            kernels[static_cast<size_t>(count - 1)](rows, x, y, o);
            o += count;
        }
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

/// `outputs` adjacent outputs, whose tap 0 is at `column` and further on.
template <size_t taps, size_t stride, size_t outputs, bool isInside>
HWY_INLINE void addOutputs(const TapColumns& columns, const float* x, int64_t column,
                           const float* dy, TapSums<taps>& sums) {
    TapVector gradients[outputs];
    HWY_UNROLL(4)
    for (size_t o = 0; o < outputs; ++o) gradients[o] = load(dy + o * kChannelBlock);
    HWY_UNROLL(11)
    for (size_t i = 0; i < (outputs - 1) * stride + taps; ++i) {
        const int64_t at = column + static_cast<int64_t>(i);
        if (!isInside && !hasColumn(columns, at)) continue;
        const TapVector pixel = load(x + at * kChannelBlock);
        HWY_UNROLL(5)
        for (size_t k = 0; k < taps; ++k) {
            if (i < k || (i - k) % stride != 0 || (i - k) / stride >= outputs) continue;
            TapVector& sum = sums.of[(i - k) / stride][k];
            sum = hn::MulAdd(pixel, gradients[(i - k) / stride], sum);
        }
    }
}

template <size_t taps, size_t stride>
void addGradientsLoop(const TapGradient& g) {
    const TapTag d;
    constexpr size_t kOutputs = kOutputsOfGradient<taps>;
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
            int64_t o = 0;
            const auto add = [&]<size_t outputs, bool isInside>() HWY_ATTR {
                addOutputs<taps, stride, outputs, isInside>(
                    g.columns, x, g.columns.start + o * static_cast<int64_t>(stride),
                    dy + o * kChannelBlock, sums);
                o += static_cast<int64_t>(outputs);
            };
            while (o < g.inside.begin && o + most <= g.columns.outputs)
                add.template operator()<kOutputs, false>();
            while (o + most <= g.inside.end) add.template operator()<kOutputs, true>();
            while (o + most <= g.columns.outputs) add.template operator()<kOutputs, false>();
            if (kOutputs > 2 && o + 2 <= g.columns.outputs) add.template operator()<2, false>();
            if (o < g.columns.outputs) add.template operator()<1, false>();
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
