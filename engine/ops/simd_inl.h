// SPDX-License-Identifier: Apache-2.0

// Loops over float arrays and accurate functions, compiled once per instruction set. A file that
// includes this one is itself included once per set by hwy/foreach_target.h, so the guard toggles.
#if defined(TEMPER_ENGINE_OPS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TEMPER_ENGINE_OPS_SIMD_INL_H_
#undef TEMPER_ENGINE_OPS_SIMD_INL_H_
#else
#define TEMPER_ENGINE_OPS_SIMD_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/runtime/cpu/sums.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;

/// The last `count` < Lanes() elements, followed by zeros.
template <class D>
HWY_INLINE hn::Vec<D> loadTail(D d, const hn::TFromD<D>* from, int64_t count) {
    HWY_ALIGN hn::TFromD<D> buffer[hn::MaxLanes(D())] = {};
    for (int64_t i = 0; i < count; ++i) buffer[i] = from[i];
    return hn::Load(d, buffer);
}

template <class D>
HWY_INLINE void storeTail(D d, hn::Vec<D> v, hn::TFromD<D>* to, int64_t count) {
    HWY_ALIGN hn::TFromD<D> buffer[hn::MaxLanes(D())];
    hn::Store(v, d, buffer);
    for (int64_t i = 0; i < count; ++i) to[i] = buffer[i];
}

/// At most Lanes() elements, followed by zeros.
template <class D>
HWY_INLINE hn::Vec<D> loadUpTo(D d, const hn::TFromD<D>* from, int64_t count) {
    return count == static_cast<int64_t>(hn::Lanes(d)) ? hn::LoadU(d, from)
                                                       : loadTail(d, from, count);
}

/// out[i, i + n) = f(d, i, n), which gives those of the next n elements; its other lanes do not
/// matter.
template <typename F>
HWY_INLINE void mapAt(int64_t count, float* out, F f) {
    const FloatTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(f(d, i, lanes), d, out + i);
    if (i < count) storeTail(d, f(d, i, count - i), out + i, count - i);
}

/// out[i] = f(d, in[i]...); out may be one of the inputs. The tail runs through the same
/// instructions as the rest, so a value does not depend on its position.
template <typename F, typename... In>
HWY_INLINE void mapLanes(int64_t count, float* out, F f, const In*... in) {
    const FloatTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(f(d, hn::LoadU(d, in + i)...), d, out + i);
    if (i < count) storeTail(d, f(d, loadTail(d, in + i, count - i)...), out + i, count - i);
}

/// The lanes of sumOver(), in one vector or two.
using LaneTag = hn::CappedTag<float, static_cast<size_t>(SumOrder::kLanes)>;
using LaneVector = hn::Vec<LaneTag>;

/// Lanes of the terms of some sums.
template <size_t count>
struct LaneTerms {
    LaneVector of[count];
};

/// totals[k] = the sum of term k over [0, count), bit for bit that of sumOver(). `terms(d, i, n)`
/// gives those of the elements [i, i + n); its other lanes do not matter.
template <size_t kTerms, typename F>
HWY_INLINE void sumInLanes(int64_t count, F terms, double* totals) {
    constexpr size_t kVectors = static_cast<size_t>(SumOrder::kLanes) / hn::MaxLanes(LaneTag());
    constexpr auto kWidth = static_cast<int64_t>(hn::MaxLanes(LaneTag()));
    const LaneTag d;
    for (size_t k = 0; k < kTerms; ++k) totals[k] = 0;
    for (int64_t begin = 0; begin < count; begin += SumOrder::kBlock) {
        const int64_t end = HWY_MIN(begin + SumOrder::kBlock, count);
        LaneVector sums[kVectors][kTerms];
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v) {
            HWY_UNROLL(2)
            for (size_t k = 0; k < kTerms; ++k) sums[v][k] = hn::Zero(d);
        }
        int64_t i = begin;
        while (i + SumOrder::kLanes <= end) {
            HWY_UNROLL(2)
            for (size_t v = 0; v < kVectors; ++v, i += kWidth) {
                const LaneTerms<kTerms> next = terms(d, i, kWidth);
                HWY_UNROLL(2)
                for (size_t k = 0; k < kTerms; ++k) sums[v][k] = hn::Add(sums[v][k], next.of[k]);
            }
        }
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors && i < end; ++v, i += kWidth) {
            const int64_t rest = HWY_MIN(kWidth, end - i);
            const LaneTerms<kTerms> next = terms(d, i, rest);
            const auto isWithin = hn::FirstN(d, static_cast<size_t>(rest));
            HWY_UNROLL(2)
            for (size_t k = 0; k < kTerms; ++k)
                sums[v][k] = hn::Add(sums[v][k], hn::IfThenElseZero(isWithin, next.of[k]));
        }
        HWY_ALIGN float lanes[SumOrder::kLanes];
        HWY_UNROLL(2)
        for (size_t k = 0; k < kTerms; ++k) {
            HWY_UNROLL(2)
            for (size_t v = 0; v < kVectors; ++v)
                hn::Store(sums[v][k], d, lanes + static_cast<int64_t>(v) * kWidth);
            for (const float lane : lanes) totals[k] += static_cast<double>(lane);
        }
    }
}

using DoubleTag = hn::ScalableTag<double>;
using DoubleVector = hn::Vec<DoubleTag>;
/// As many floats as DoubleTag has numbers.
using NarrowTag = hn::Rebind<float, DoubleTag>;

HWY_INLINE DoubleVector loadWide(const float* from, int64_t count) {
    return hn::PromoteTo(DoubleTag(), loadUpTo(NarrowTag(), from, count));
}

/// sum + term(r, j, n) for the rows [row, row + kRows) in turn.
template <int64_t kRows, typename F>
HWY_INLINE DoubleVector plusRows(DoubleVector sum, int64_t row, int64_t j, int64_t n, F term) {
    HWY_UNROLL(4)
    for (int64_t r = row; r < row + kRows; ++r) sum = hn::Add(sum, term(r, j, n));
    return sum;
}

template <int64_t kRows, typename F>
HWY_INLINE void addRowsOf(int64_t row, int64_t count, double* sums, F term) {
    const DoubleTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t j = 0;
    for (; j + lanes <= count; j += lanes)
        hn::StoreU(plusRows<kRows>(hn::LoadU(d, sums + j), row, j, lanes, term), d, sums + j);
    if (j == count) return;
    const int64_t rest = count - j;
    const DoubleVector last = plusRows<kRows>(loadTail(d, sums + j, rest), row, j, rest, term);
    storeTail(d, last, sums + j, rest);
}

/// sums[j] += the terms of column j, row after row. `term(r, j, n)` gives those of the columns
/// [j, j + n) of row r; its other lanes do not matter. Four rows at a time: the sums are read and
/// written once for them.
template <typename F>
HWY_INLINE void addToColumns(int64_t rows, int64_t count, double* sums, F term) {
    int64_t row = 0;
    for (; row + 4 <= rows; row += 4) addRowsOf<4>(row, count, sums, term);
    for (; row < rows; ++row) addRowsOf<1>(row, count, sums, term);
}

HWY_INLINE FloatVector keepNaN(FloatVector x, FloatVector y) {
    return hn::IfThenElse(hn::IsNaN(x), x, y);
}

/// Any x; overflow gives infinity, underflow 0.
HWY_INLINE FloatVector expOf(FloatTag d, FloatVector x) {
    return keepNaN(x, hn::Exp(d, hn::Min(x, hn::Set(d, 104.0F))));
}

/// exp(x) of x <= 0, to 1 unit in the last place; below -87.3, where floats become subnormal, 0.
/// Source: 2^n e^r with r = x - n ln 2, |r| <= ln 2 / 2; e^r by least squares, weighted for the
/// smallest maximal relative error (3e-9), in float64.
HWY_INLINE FloatVector expBelowZero(FloatTag d, FloatVector x) {
    const hn::RebindToSigned<FloatTag> integers;
    const auto c = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const FloatVector bounded = hn::Max(x, c(-88.0F));
    const FloatVector rounder = c(12582912.0F);  // 1.5 2^23: sums have integers in their low bits
    const FloatVector shifted = hn::MulAdd(bounded, c(1.44269504F), rounder);
    const FloatVector n = hn::Sub(shifted, rounder);
    FloatVector r = hn::NegMulAdd(n, c(0.693145752F), bounded);
    r = hn::NegMulAdd(n, c(1.42860677e-6F), r);
    FloatVector p = c(0.00138144672F);
    p = hn::MulAdd(p, r, c(0.00836878084F));
    p = hn::MulAdd(p, r, c(0.0416683927F));
    p = hn::MulAdd(p, r, c(0.166665196F));
    p = hn::MulAdd(p, r, c(0.49999994F));
    p = hn::MulAdd(p, r, c(1.0F));
    p = hn::MulAdd(p, r, c(1.0F));
    const auto power = hn::ShiftLeft<23>(hn::BitCast(integers, shifted));
    const FloatVector y = hn::BitCast(d, hn::Add(hn::BitCast(integers, p), power));
    return keepNaN(x, hn::IfThenElseZero(hn::Ge(x, c(-87.3F)), y));
}

/// Any x; -infinity at 0, NaN below.
HWY_INLINE FloatVector logOf(FloatTag d, FloatVector x) {
    const FloatVector zero = hn::Zero(d);
    const FloatVector infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    const FloatVector nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    FloatVector y = hn::Log(d, x);
    y = hn::IfThenElse(hn::Eq(x, infinity), infinity, y);
    y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
    y = hn::IfThenElse(hn::Lt(x, zero), nan, y);
    return keepNaN(x, y);
}

HWY_INLINE FloatVector tanhOf(FloatTag d, FloatVector x) { return keepNaN(x, hn::Tanh(d, x)); }

HWY_INLINE FloatVector sigmoidOf(FloatTag d, FloatVector x) {
    const FloatVector one = hn::Set(d, 1.0F);
    return hn::Div(one, hn::Add(one, expOf(d, hn::Neg(x))));
}

/// log(1 + exp(x)) without overflow.
HWY_INLINE FloatVector softplusOf(FloatTag d, FloatVector x) {
    const FloatVector small = hn::Log1p(d, expOf(d, hn::Neg(hn::Abs(x))));
    return keepNaN(x, hn::Add(hn::Max(x, hn::Zero(d)), small));
}

/// Error function: below 0.875 x P(x^2), above 1 - exp(-R(x - 2)). Maximal relative error 2.3e-7.
/// Source: least squares at Chebyshev nodes of erf(x)/x and of -log(erfc(x)), in float64.
HWY_INLINE FloatVector erfOf(FloatTag d, FloatVector x) {
    const auto c = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const FloatVector magnitude = hn::Min(hn::Abs(x), c(4.0F));
    const FloatVector t = hn::Mul(x, x);
    FloatVector p = c(8.694670395925641e-05F);
    p = hn::MulAdd(p, t, c(-8.215560228563845e-04F));
    p = hn::MulAdd(p, t, c(5.207134410738945e-03F));
    p = hn::MulAdd(p, t, c(-2.686174027621746e-02F));
    p = hn::MulAdd(p, t, c(1.1283735930919647e-01F));
    p = hn::MulAdd(p, t, c(-3.7612634897232056e-01F));
    p = hn::MulAdd(p, t, c(1.128379225730896F));
    const FloatVector u = hn::Sub(magnitude, c(2.0F));
    FloatVector r = c(-1.277845854019688e-06F);
    r = hn::MulAdd(r, u, c(1.941316259035375e-05F));
    r = hn::MulAdd(r, u, c(-1.3644646969623864e-04F));
    r = hn::MulAdd(r, u, c(7.341321324929595e-04F));
    r = hn::MulAdd(r, u, c(-3.5696893464773893e-03F));
    r = hn::MulAdd(r, u, c(1.6464458778500557e-02F));
    r = hn::MulAdd(r, u, c(9.237505197525024e-01F));
    r = hn::MulAdd(r, u, c(4.418160915374756F));
    r = hn::MulAdd(r, u, c(5.364941120147705F));
    const FloatVector large = hn::Sub(c(1.0F), hn::Exp(d, hn::Neg(r)));
    const FloatVector signedLarge = hn::CopySign(large, x);
    const FloatVector y = hn::IfThenElse(hn::Lt(magnitude, c(0.875F)), hn::Mul(p, x), signedLarge);
    return keepNaN(x, y);
}

}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
