// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/attention/attention_loops_cpu.h"

#include <limits>

#include "engine/ops/attention/tile_sight_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/attention/attention_loops_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

constexpr FloatTag kTag;

HWY_INLINE FloatVector numbers(float value) { return hn::Set(kTag, value); }

HWY_INLINE hn::Mask<FloatTag> isHidden(const ScoreTile& tile, int64_t at) {
    return hn::Ne(hn::LoadU(kTag, tile.hidden + at), hn::Zero(kTag));
}

/// tanh(score / cap)
HWY_INLINE FloatVector cappedShare(const ScoreTile& tile, FloatVector score) {
    return tanhOf(kTag, hn::Div(score, numbers(tile.softcap)));
}

HWY_INLINE FloatVector withBias(const ScoreTile& tile, int64_t at, FloatVector score) {
    return tile.bias == nullptr ? score : hn::Add(score, hn::LoadU(kTag, tile.bias + at));
}

/// For the lanes from `lane` on.
HWY_INLINE void continueLanes(const ScoreTile& tile, const SoftmaxState& state, int64_t lane) {
    const FloatVector lowest = numbers(std::numeric_limits<float>::lowest());
    const FloatVector before = hn::LoadU(kTag, state.maxima + lane);
    FloatVector maximum = before;
    FloatVector blind =
        tile.hidden == nullptr ? hn::Zero(kTag) : hn::LoadU(kTag, state.blind + lane);
    const bool isPlain = tile.softcap == 0 && tile.bias == nullptr && tile.hidden == nullptr;
    for (int64_t key = 0, at = lane; key < tile.keys; ++key, at += kTileQueries) {
        FloatVector score = hn::LoadU(kTag, tile.scores + at);
        if (!isPlain) {
            if (tile.softcap != 0) score = hn::Mul(cappedShare(tile, score), numbers(tile.softcap));
            score = withBias(tile, at, score);
            if (tile.hidden != nullptr) {
                score = hn::IfThenElse(isHidden(tile, at), lowest, score);
                blind = hn::Min(blind, hn::LoadU(kTag, tile.hidden + at));
            }
            hn::StoreU(score, kTag, tile.scores + at);
        }
        maximum = hn::Max(score, maximum);
    }
    FloatVector sum = hn::Zero(kTag);
    for (int64_t key = 0, at = lane; key < tile.keys; ++key, at += kTileQueries) {
        FloatVector share = expBelowZero(kTag, hn::Sub(hn::LoadU(kTag, tile.scores + at), maximum));
        if (tile.hidden != nullptr) share = hn::IfThenZeroElse(isHidden(tile, at), share);
        sum = hn::Add(sum, share);
        hn::StoreU(share, kTag, tile.scores + at);
    }
    const FloatVector fading = expBelowZero(kTag, hn::Sub(before, maximum));
    const FloatVector sums = hn::MulAdd(hn::LoadU(kTag, state.sums + lane), fading, sum);
    hn::StoreU(maximum, kTag, state.maxima + lane);
    hn::StoreU(fading, kTag, state.fading + lane);
    hn::StoreU(sums, kTag, state.sums + lane);
    hn::StoreU(blind, kTag, state.blind + lane);
}

void continueSoftmaxLoop(const ScoreTile& tile, const SoftmaxState& state) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(kTag));
    for (int64_t lane = 0; lane < tile.rows; lane += lanes) continueLanes(tile, state, lane);
}

HWY_INLINE void gradientsOfLanes(const ScoreTile& tile, const RowSums& rows, float* gradients,
                                 int64_t lane) {
    const FloatVector one = numbers(1), scale = numbers(rows.scale);
    const FloatVector maximum = hn::LoadU(kTag, rows.maxima + lane);
    const FloatVector rowShare = hn::LoadU(kTag, rows.shares + lane);
    const FloatVector products = hn::LoadU(kTag, rows.products + lane);
    const auto isBlind = hn::Eq(maximum, numbers(kBlindMaximum));
    const FloatVector hiddenShare = hn::IfThenElseZero(isBlind, numbers(rows.blindShare));
    for (int64_t key = 0, at = lane; key < tile.keys; ++key, at += kTileQueries) {
        FloatVector score = hn::LoadU(kTag, tile.scores + at);
        FloatVector slope = scale;
        if (tile.softcap != 0) {
            const FloatVector share = cappedShare(tile, score);
            score = hn::Mul(share, numbers(tile.softcap));
            slope = hn::Mul(slope, hn::NegMulAdd(share, share, one));
        }
        score = withBias(tile, at, score);
        FloatVector share = hn::Mul(expBelowZero(kTag, hn::Sub(score, maximum)), rowShare);
        FloatVector gradient = hn::Mul(hn::Sub(hn::LoadU(kTag, gradients + at), products), slope);
        if (tile.hidden != nullptr) {
            const auto hidden = isHidden(tile, at);
            share = hn::IfThenElse(hidden, hiddenShare, share);
            if (!rows.blindLearn) gradient = hn::IfThenZeroElse(hidden, gradient);
        }
        hn::StoreU(share, kTag, tile.scores + at);
        hn::StoreU(hn::Mul(share, gradient), kTag, gradients + at);
    }
}

void scoreGradientsLoop(const ScoreTile& tile, const RowSums& rows, float* gradients) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(kTag));
    for (int64_t lane = 0; lane < tile.rows; lane += lanes)
        gradientsOfLanes(tile, rows, gradients, lane);
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(continueSoftmaxLoop);
HWY_EXPORT(scoreGradientsLoop);
}  // namespace

void continueSoftmax(const ScoreTile& tile, const SoftmaxState& state) {
    HWY_DYNAMIC_DISPATCH(continueSoftmaxLoop)(tile, state);
}

void scoreGradients(const ScoreTile& tile, const RowSums& rows, float* gradients) {
    HWY_DYNAMIC_DISPATCH(scoreGradientsLoop)(tile, rows, gradients);
}

}  // namespace temper
#endif
