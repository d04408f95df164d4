// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/channel_blocks_cpu.h"

#include <algorithm>
#include <cstddef>

#include "engine/runtime/cpu/sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/channel_blocks_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

using BlockTag = hn::CappedTag<float, static_cast<size_t>(kChannelBlock)>;
using BlockVector = hn::Vec<BlockTag>;

HWY_INLINE int64_t lanesOfBlock() { return static_cast<int64_t>(hn::Lanes(BlockTag())); }

HWY_INLINE BlockVector load(const float* from) { return hn::LoadU(BlockTag(), from); }

constexpr int64_t kSums = SumOrder::kLanes;

/// totals[c] += the sum of term(pixel, c) over [begin, end), at most SumOrder::kBlock pixels.
template <typename Term>
HWY_INLINE void addBlock(int64_t begin, int64_t end, Term term, double* totals) {
    const BlockTag d;
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfBlock()) {
        BlockVector s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        int64_t i = begin;
        for (; i + kSums <= end; i += kSums) {
            s0 = hn::Add(s0, term(i, c));
            s1 = hn::Add(s1, term(i + 1, c));
            s2 = hn::Add(s2, term(i + 2, c));
            s3 = hn::Add(s3, term(i + 3, c));
            s4 = hn::Add(s4, term(i + 4, c));
            s5 = hn::Add(s5, term(i + 5, c));
            s6 = hn::Add(s6, term(i + 6, c));
            s7 = hn::Add(s7, term(i + 7, c));
        }
        HWY_ALIGN float sums[kSums][kChannelBlock];
        size_t k = 0;
        for (const BlockVector s : {s0, s1, s2, s3, s4, s5, s6, s7}) hn::StoreU(s, d, sums[k++]);
        for (k = 0; i < end; ++i, ++k)
            hn::StoreU(hn::Add(hn::LoadU(d, sums[k]), term(i, c)), d, sums[k]);
        for (const auto& sum : sums) {
            for (int64_t lane = 0; lane < lanesOfBlock(); ++lane)
                totals[c + lane] += static_cast<double>(sum[lane]);
        }
    }
}

template <typename F>
HWY_INLINE void forEachSumBlock(int64_t pixels, F f) {
    for (int64_t begin = 0; begin < pixels; begin += SumOrder::kBlock)
        f(begin, std::min(begin + SumOrder::kBlock, pixels));
}

void sumsLoop(const float* x, int64_t pixels, double* totals) {
    const auto term = [x](int64_t i, int64_t c)
                          HWY_ATTR { return load(x + i * kChannelBlock + c); };
    forEachSumBlock(
        pixels, [&](int64_t begin, int64_t end) HWY_ATTR { addBlock(begin, end, term, totals); });
}

void squaresLoop(const float* x, int64_t pixels, const float* mean, double* totals) {
    const auto term = [x, mean](int64_t i, int64_t c) HWY_ATTR {
        const BlockVector centered = hn::Sub(load(x + i * kChannelBlock + c), load(mean + c));
        return hn::Mul(centered, centered);
    };
    forEachSumBlock(
        pixels, [&](int64_t begin, int64_t end) HWY_ATTR { addBlock(begin, end, term, totals); });
}

void gradientSumsLoop(const float* dy, const float* x, int64_t pixels, const float* mean,
                      double* gradients, double* products) {
    const auto gradient = [dy](int64_t i, int64_t c)
                              HWY_ATTR { return load(dy + i * kChannelBlock + c); };
    const auto product = [dy, x, mean](int64_t i, int64_t c) HWY_ATTR {
        const int64_t at = i * kChannelBlock + c;
        return hn::Mul(load(dy + at), hn::Sub(load(x + at), load(mean + c)));
    };
    forEachSumBlock(pixels, [&](int64_t begin, int64_t end) HWY_ATTR {
        addBlock(begin, end, gradient, gradients);
        addBlock(begin, end, product, products);
    });
}

void normalizeLoop(const float* x, float* y, int64_t pixels, const simd::Normalization& by) {
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfBlock()) {
        const BlockVector mean = load(by.mean.data() + c), factor = load(by.factor.data() + c),
                          bias = load(by.bias.data() + c);
        for (int64_t at = c; at < pixels * kChannelBlock; at += kChannelBlock) {
            const BlockVector centered = hn::Sub(load(x + at), mean);
            hn::StoreU(hn::Add(hn::Mul(centered, factor), bias), BlockTag(), y + at);
        }
    }
}

void normalizeGradientsLoop(const float* dy, const float* x, float* dx, int64_t pixels,
                            const simd::NormalizationGradient& by) {
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfBlock()) {
        const BlockVector mean = load(by.mean.data() + c), factor = load(by.factor.data() + c),
                          shift = load(by.shift.data() + c), slope = load(by.slope.data() + c);
        for (int64_t at = c; at < pixels * kChannelBlock; at += kChannelBlock) {
            const BlockVector centered = hn::Sub(load(x + at), mean);
            const BlockVector rest =
                hn::Sub(hn::Sub(load(dy + at), shift), hn::Mul(centered, slope));
            hn::StoreU(hn::Mul(factor, rest), BlockTag(), dx + at);
        }
    }
}

void addToPixelsLoop(const float* bias, float* y, int64_t pixels) {
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfBlock()) {
        const BlockVector value = load(bias + c);
        for (int64_t at = c; at < pixels * kChannelBlock; at += kChannelBlock)
            hn::StoreU(hn::Add(load(y + at), value), BlockTag(), y + at);
    }
}

void scalePixelsLoop(const float* x, const float* factors, float* y, int64_t pixels) {
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfBlock()) {
        const BlockVector factor = load(factors + c);
        for (int64_t at = c; at < pixels * kChannelBlock; at += kChannelBlock)
            hn::StoreU(hn::Mul(load(x + at), factor), BlockTag(), y + at);
    }
}

void fillPixelsLoop(const float* values, float* y, int64_t pixels) {
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfBlock()) {
        const BlockVector value = load(values + c);
        for (int64_t at = c; at < pixels * kChannelBlock; at += kChannelBlock)
            hn::StoreU(value, BlockTag(), y + at);
    }
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(sumsLoop);
HWY_EXPORT(squaresLoop);
HWY_EXPORT(gradientSumsLoop);
HWY_EXPORT(normalizeLoop);
HWY_EXPORT(normalizeGradientsLoop);
HWY_EXPORT(addToPixelsLoop);
HWY_EXPORT(scalePixelsLoop);
HWY_EXPORT(fillPixelsLoop);
}  // namespace

namespace simd {

ChannelSums sumsOfPixels(const float* x, int64_t pixels) {
    ChannelSums totals{};
    HWY_DYNAMIC_DISPATCH(sumsLoop)(x, pixels, totals.data());
    return totals;
}

ChannelSums squaresOfPixels(const float* x, int64_t pixels, const ChannelValues& mean) {
    ChannelSums totals{};
    HWY_DYNAMIC_DISPATCH(squaresLoop)(x, pixels, mean.data(), totals.data());
    return totals;
}

GradientSums gradientSumsOfPixels(const float* dy, const float* x, int64_t pixels,
                                  const ChannelValues& mean) {
    GradientSums sums{};
    HWY_DYNAMIC_DISPATCH(gradientSumsLoop)
    (dy, x, pixels, mean.data(), sums.gradients.data(), sums.products.data());
    return sums;
}

void normalizePixels(const float* x, float* y, int64_t pixels, const Normalization& by) {
    HWY_DYNAMIC_DISPATCH(normalizeLoop)(x, y, pixels, by);
}

void normalizeGradients(const float* dy, const float* x, float* dx, int64_t pixels,
                        const NormalizationGradient& by) {
    HWY_DYNAMIC_DISPATCH(normalizeGradientsLoop)(dy, x, dx, pixels, by);
}

void addToPixels(const ChannelValues& bias, float* y, int64_t pixels) {
    HWY_DYNAMIC_DISPATCH(addToPixelsLoop)(bias.data(), y, pixels);
}

void scalePixels(const float* x, const float* factors, float* y, int64_t pixels) {
    HWY_DYNAMIC_DISPATCH(scalePixelsLoop)(x, factors, y, pixels);
}

void fillPixels(const float* values, float* y, int64_t pixels) {
    HWY_DYNAMIC_DISPATCH(fillPixelsLoop)(values, y, pixels);
}

}  // namespace simd
}  // namespace temper
#endif
