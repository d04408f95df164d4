// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/bfloat16_conversion.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/runtime/cpu/bfloat16_conversion.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Bits = hn::RebindToUnsigned<Floats>;
using Halves = hn::Rebind<uint16_t, Floats>;

HWY_INLINE hn::Vec<Halves> rounded(hn::Vec<Floats> numbers) {
    const Bits d;
    const auto bits = hn::BitCast(d, numbers);
    const auto isOdd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1U));
    const auto nearest = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(d, 0x7FFFU)), isOdd));
    const auto quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(d, 0x40U));
    const auto isNaN = hn::RebindMask(d, hn::IsNaN(numbers));
    const hn::RebindToSigned<Bits> integers;
    return hn::DemoteTo(Halves(), hn::BitCast(integers, hn::IfThenElse(isNaN, quiet, nearest)));
}

HWY_INLINE hn::Vec<Floats> widened(hn::Vec<Halves> halves) {
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(Bits(), halves)));
}

constexpr size_t kMaxLanes = hn::MaxLanes(Floats());

void toBFloat16Loop(const float* from, BFloat16* to, int64_t count) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
    const auto convert = [](const float* numbers, BFloat16* halves) HWY_ATTR {
        hn::StoreU(rounded(hn::LoadU(Floats(), numbers)), Halves(), &halves->bits);
    };
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) convert(from + i, to + i);
    std::array<float, kMaxLanes> last{};
    std::array<BFloat16, kMaxLanes> halves;
    std::copy(from + i, from + count, last.begin());
    convert(last.data(), halves.data());
    std::copy_n(halves.begin(), count - i, to + i);
}

void fromBFloat16Loop(const BFloat16* from, float* to, int64_t count) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(widened(hn::LoadU(Halves(), &from[i].bits)), Floats(), to + i);
    for (; i < count; ++i) to[i] = floatFromBFloat16(from[i].bits);
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper::simd {

HWY_EXPORT(toBFloat16Loop);
HWY_EXPORT(fromBFloat16Loop);

void toBFloat16(const float* from, BFloat16* to, int64_t count) {
    HWY_DYNAMIC_DISPATCH(toBFloat16Loop)(from, to, count);
}

void fromBFloat16(const BFloat16* from, float* to, int64_t count) {
    HWY_DYNAMIC_DISPATCH(fromBFloat16Loop)(from, to, count);
}

}  // namespace temper::simd
#endif
