// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/pooling/pooling_loops_cpu.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/pooling/pooling_loops_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

bool maxOfWindowsLoop(const simd::WindowRow&, const float*, float*, int64_t*) { return false; }

#else

/// The largest taps so far of as many windows as a vector has lanes, and their positions.
template <typename Tag>
class Maxima {
public:
    HWY_INLINE Maxima(const simd::WindowRow& windows, int64_t position)
        : position_(hn::Add(hn::Set(kPlaces, static_cast<int32_t>(position)),
                            hn::Mul(hn::Iota(kPlaces, 0),
                                    hn::Set(kPlaces, static_cast<int32_t>(windows.stride))))),
          best_(hn::Zero(Tag())),
          place_(position_) {}

    HWY_INLINE void start(hn::Vec<Tag> taps) {
        best_ = taps;
        place_ = position_;
    }
    /// `offset`: of these taps from the windows' first ones.
    HWY_INLINE void raise(hn::Vec<Tag> taps, int64_t offset) {
        const auto isLarger = hn::Gt(taps, best_);
        best_ = hn::IfThenElse(isLarger, taps, best_);
        const auto here = hn::Add(position_, hn::Set(kPlaces, static_cast<int32_t>(offset)));
        place_ = hn::IfThenElse(hn::RebindMask(kPlaces, isLarger), here, place_);
    }
    HWY_INLINE void store(float* y, int64_t* places) const {
        hn::StoreU(best_, Tag(), y);
        if (places == nullptr) return;
        HWY_ALIGN int32_t narrow[hn::MaxLanes(Tag())];
        hn::Store(place_, kPlaces, narrow);
        std::copy_n(narrow, hn::Lanes(Tag()), places);
    }

private:
    using PlaceTag = hn::Rebind<int32_t, Tag>;
    static constexpr PlaceTag kPlaces{};

    hn::Vec<PlaceTag> position_;
    hn::Vec<Tag> best_;
    hn::Vec<PlaceTag> place_;
};

/// Windows with stride 1: tap k of all of them is a vector.
template <typename Tag>
HWY_INLINE void raiseByRow(const simd::WindowRow& w, const float* row, int64_t offset,
                           Maxima<Tag>& maxima) {
    for (int64_t k = 0; k < w.columns; ++k) {
        const int64_t at = offset + k * w.columnStep;
        const auto taps = hn::LoadU(Tag(), row + at);
        at == 0 ? maxima.start(taps) : maxima.raise(taps, at);
    }
}

/// Windows with stride 2: every other element. Tap k > 0 is read with the element before it, so
/// that nothing past the last window is read.
template <typename Tag>
HWY_INLINE void raiseByPairs(const simd::WindowRow& w, const float* row, int64_t offset,
                             Maxima<Tag>& maxima) {
    hn::Vec<Tag> even, odd;
    hn::LoadInterleaved2(Tag(), row + offset, even, odd);
    offset == 0 ? maxima.start(even) : maxima.raise(even, offset);
    for (int64_t k = 1; k < w.columns; ++k) {
        const int64_t at = offset + k * w.columnStep;
        if (k > 1 || w.columnStep > 1) hn::LoadInterleaved2(Tag(), row + at - 1, even, odd);
        maxima.raise(odd, at);
    }
}

/// At least as many windows as `kLanes`; the last vector overlaps the one before it.
template <size_t kLanes>
void maxByLanes(const simd::WindowRow& w, const float* image, float* y, int64_t* places) {
    using Tag = hn::CappedTag<float, kLanes>;
    const auto lanes = static_cast<int64_t>(hn::Lanes(Tag()));
    for (int64_t o = 0;; o = std::min(o + lanes, w.outputs - lanes)) {
        const int64_t position = w.first + o * w.stride;
        Maxima<Tag> maxima(w, position);
        for (int64_t r = 0; r < w.rows; ++r) {
            if (w.stride == 1) {
                raiseByRow<Tag>(w, image + position, r * w.rowStep, maxima);
            } else {
                raiseByPairs<Tag>(w, image + position, r * w.rowStep, maxima);
            }
        }
        maxima.store(y + o, places == nullptr ? nullptr : places + o);
        if (o + lanes == w.outputs) return;
    }
}

bool isWorthIt(const simd::WindowRow& w) {
    constexpr int64_t kFarthest = std::numeric_limits<int32_t>::max();
    const int64_t last = w.first + w.outputs * w.stride + w.rows * w.rowStep;
    return w.outputs >= 4 && last < kFarthest &&
           (w.stride == 1 || (w.stride == 2 && w.columns > 1));
}

bool maxOfWindowsLoop(const simd::WindowRow& w, const float* image, float* y, int64_t* places) {
    if (!isWorthIt(w)) return false;
    if (w.outputs >= 16) {
        maxByLanes<16>(w, image, y, places);
    } else if (w.outputs >= 8) {
        maxByLanes<8>(w, image, y, places);
    } else {
        maxByLanes<4>(w, image, y, places);
    }
    return true;
}

#endif

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(maxOfWindowsLoop);
}  // namespace

namespace simd {

bool maxOfWindows(const WindowRow& windows, const float* image, float* y, int64_t* places) {
    return HWY_DYNAMIC_DISPATCH(maxOfWindowsLoop)(windows, image, y, places);
}

}  // namespace simd
}  // namespace temper
#endif
