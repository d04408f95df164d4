// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/pooling/max_pool_block_loops_cpu.h"

#include "engine/runtime/kernels/blockable_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/pooling/max_pool_block_loops_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

// As many lanes as a vector of indices has: then nothing needs halves.
using IndexTag = hn::CappedTag<int64_t, static_cast<size_t>(kChannelBlock)>;
using BlockTag = hn::Rebind<float, IndexTag>;
using PlaceTag = hn::Rebind<int32_t, IndexTag>;
using Indices = hn::Vec<IndexTag>;
using Places = hn::Vec<PlaceTag>;

HWY_INLINE int64_t lanesOfBlock() { return static_cast<int64_t>(hn::Lanes(IndexTag())); }

/// Indices of the pixel 0 in the channels from this one on.
HWY_INLINE Indices originsOf(const simd::PixelIndices& counting, int64_t channel) {
    HWY_ALIGN int64_t origins[hn::MaxLanes(IndexTag())];
    for (int64_t i = 0; i < lanesOfBlock(); ++i)
        origins[i] = counting.firstIndex + (channel + i) * counting.pixels;
    return hn::Load(IndexTag(), origins);
}

/// Indices that are no place get the bits of one.
HWY_INLINE Places placesOf(Indices fromOrigin) {
    const hn::Rebind<uint32_t, IndexTag> narrow;
    const hn::RebindToUnsigned<IndexTag> wide;
    return hn::BitCast(PlaceTag(), hn::TruncateTo(narrow, hn::BitCast(wide, fromOrigin)));
}

/// Calls f(pixel) for each tap of window `o`, in row-major order.
template <typename F>
HWY_INLINE void forTaps(const simd::PixelWindows& w, int64_t o, F f) {
    for (int64_t row = 0; row < w.rows; ++row) {
        int64_t pixel = w.first + o * w.stride + row * w.rowStep;
        for (int64_t column = 0; column < w.columns; ++column, pixel += w.columnStep) f(pixel);
    }
}

void maxOfPixelsLoop(const simd::PixelWindows& w, const simd::PixelIndices& counting,
                     const float* image, float* y, int64_t* indices) {
    const BlockTag d;
    const PlaceTag integers;
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfBlock()) {
        const Indices origins = originsOf(counting, c);
        for (int64_t o = 0; o < w.outputs; ++o) {
            const int64_t first = w.first + o * w.stride;
            auto best = hn::LoadU(d, image + first * kChannelBlock + c);
            Places place = hn::Set(integers, static_cast<int32_t>(first));
            forTaps(w, o, [&](int64_t pixel) HWY_ATTR {
                const auto tap = hn::LoadU(d, image + pixel * kChannelBlock + c);
                const auto isLarger = hn::Gt(tap, best);
                best = hn::IfThenElse(isLarger, tap, best);
                place = hn::IfThenElse(hn::RebindMask(integers, isLarger),
                                       hn::Set(integers, static_cast<int32_t>(pixel)), place);
            });
            hn::StoreU(best, d, y + o * kChannelBlock + c);
            if (indices == nullptr) continue;
            const Indices index = hn::Add(hn::PromoteTo(IndexTag(), place), origins);
            hn::StoreU(index, IndexTag(), indices + o * kChannelBlock + c);
        }
    }
}

bool gradientsOfPixelsLoop(const simd::PixelWindows& w, const simd::PixelIndices& counting,
                           const float* dy, const int64_t* indices, float* image) {
    const BlockTag d;
    const PlaceTag integers;
    auto isKnown = hn::Eq(hn::Zero(integers), hn::Zero(integers));
    auto bitsOfAll = hn::Zero(IndexTag());  // a place has 31
    for (int64_t c = 0; c < kChannelBlock; c += lanesOfBlock()) {
        const Indices origins = originsOf(counting, c);
        for (int64_t o = 0; o < w.outputs; ++o) {
            const int64_t at = o * kChannelBlock + c;
            const Indices fromOrigin = hn::Sub(hn::LoadU(IndexTag(), indices + at), origins);
            const Places place = placesOf(fromOrigin);
            bitsOfAll = hn::Or(bitsOfAll, fromOrigin);
            const auto gradient = hn::LoadU(d, dy + at);
            auto isTap = hn::Ne(place, place);
            forTaps(w, o, [&](int64_t pixel) HWY_ATTR {
                const auto isHere = hn::Eq(place, hn::Set(integers, static_cast<int32_t>(pixel)));
                hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, isHere), gradient), d,
                           image + pixel * kChannelBlock + c);
                isTap = hn::Or(isTap, isHere);
            });
            isKnown = hn::And(isKnown, isTap);
        }
    }
    const auto beyond = hn::ShiftRight<31>(bitsOfAll);
    return hn::AllTrue(integers, isKnown) &&
           hn::AllTrue(IndexTag(), hn::Eq(beyond, hn::Zero(IndexTag())));
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(maxOfPixelsLoop);
HWY_EXPORT(gradientsOfPixelsLoop);
}  // namespace

namespace simd {

void maxOfPixels(const PixelWindows& windows, const PixelIndices& counting, const float* image,
                 float* y, int64_t* indices) {
    HWY_DYNAMIC_DISPATCH(maxOfPixelsLoop)(windows, counting, image, y, indices);
}

bool gradientsOfPixels(const PixelWindows& windows, const PixelIndices& counting, const float* dy,
                       const int64_t* indices, float* image) {
    return HWY_DYNAMIC_DISPATCH(gradientsOfPixelsLoop)(windows, counting, dy, indices, image);
}

}  // namespace simd
}  // namespace temper
#endif
