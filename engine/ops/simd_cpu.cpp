// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/simd_cpu.h"

#include <algorithm>
#include <bit>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/simd_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

void expLoop(const float* x, float* y, int64_t count) {
    mapLanes(
        count, y, [](FloatTag d, FloatVector v) HWY_ATTR { return expOf(d, v); }, x);
}

void logLoop(const float* x, float* y, int64_t count) {
    mapLanes(
        count, y, [](FloatTag d, FloatVector v) HWY_ATTR { return logOf(d, v); }, x);
}

void tanhLoop(const float* x, float* y, int64_t count) {
    mapLanes(
        count, y, [](FloatTag d, FloatVector v) HWY_ATTR { return tanhOf(d, v); }, x);
}

void sigmoidLoop(const float* x, float* y, int64_t count) {
    mapLanes(
        count, y, [](FloatTag d, FloatVector v) HWY_ATTR { return sigmoidOf(d, v); }, x);
}

void erfLoop(const float* x, float* y, int64_t count) {
    mapLanes(
        count, y, [](FloatTag d, FloatVector v) HWY_ATTR { return erfOf(d, v); }, x);
}

void sqrtLoop(const float* x, float* y, int64_t count) {
    mapLanes(
        count, y, [](FloatTag, FloatVector v) HWY_ATTR { return hn::Sqrt(v); }, x);
}

/// out[i] = f(a[i], b[i]); either may be one number.
template <typename F>
HWY_INLINE void combine(simd::Operand a, simd::Operand b, float* out, int64_t count, F f) {
    const FloatTag d;
    if (a.isNumber) {
        const FloatVector number = hn::Set(d, *a.data);
        mapLanes(
            count, out, [=](FloatTag, FloatVector v) HWY_ATTR { return f(number, v); }, b.data);
    } else if (b.isNumber) {
        const FloatVector number = hn::Set(d, *b.data);
        mapLanes(
            count, out, [=](FloatTag, FloatVector v) HWY_ATTR { return f(v, number); }, a.data);
    } else {
        mapLanes(
            count, out, [=](FloatTag, FloatVector v, FloatVector w) HWY_ATTR { return f(v, w); },
            a.data, b.data);
    }
}

void addLoop(simd::Operand a, simd::Operand b, float* out, int64_t count) {
    combine(a, b, out, count, [](FloatVector v, FloatVector w) HWY_ATTR { return hn::Add(v, w); });
}

void subtractLoop(simd::Operand a, simd::Operand b, float* out, int64_t count) {
    combine(a, b, out, count, [](FloatVector v, FloatVector w) HWY_ATTR { return hn::Sub(v, w); });
}

void multiplyLoop(simd::Operand a, simd::Operand b, float* out, int64_t count) {
    combine(a, b, out, count, [](FloatVector v, FloatVector w) HWY_ATTR { return hn::Mul(v, w); });
}

/// Whether x / value is x * (1 / value) to the last bit: for powers of two.
bool isPowerOfTwo(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t exponent = bits >> 23 & 0xFF;
    return (bits & 0x7FFFFF) == 0 && exponent > 27 && exponent < 227;
}

void divideLoop(simd::Operand a, simd::Operand b, float* out, int64_t count) {
    if (b.isNumber && !a.isNumber && isPowerOfTwo(*b.data)) {
        const float factor = 1.0F / *b.data;
        return multiplyLoop(a, {&factor, true}, out, count);
    }
    combine(a, b, out, count, [](FloatVector v, FloatVector w) HWY_ATTR { return hn::Div(v, w); });
}

void expTimesLoop(const float* x, simd::Operand factor, float* y, int64_t count) {
    const FloatTag tag;
    if (factor.isNumber) {
        const FloatVector f = hn::Set(tag, *factor.data);
        mapLanes(
            count, y, [f](FloatTag d, FloatVector v) HWY_ATTR { return hn::Mul(expOf(d, v), f); },
            x);
    } else {
        mapLanes(
            count, y,
            [](FloatTag d, FloatVector v, FloatVector f)
                HWY_ATTR { return hn::Mul(expOf(d, v), f); },
            x, factor.data);
    }
}

void subtractTwiceLoop(const float* x, simd::Operand a, simd::Operand b, float* y, int64_t count) {
    if (a.isNumber) {
        const FloatVector first = hn::Set(FloatTag(), *a.data),
                          second = hn::Set(FloatTag(), *b.data);
        mapLanes(
            count, y,
            [=](FloatTag, FloatVector v) HWY_ATTR { return hn::Sub(hn::Sub(v, first), second); },
            x);
    } else {
        mapLanes(
            count, y,
            [](FloatTag, FloatVector v, FloatVector first, FloatVector second)
                HWY_ATTR { return hn::Sub(hn::Sub(v, first), second); },
            x, a.data, b.data);
    }
}

void raiseLoop(const float* x, float* maxima, int64_t count) {
    mapLanes(
        count, maxima,
        [](FloatTag, FloatVector v, FloatVector most) HWY_ATTR {
            const auto stays = hn::Or(hn::Le(v, most), hn::IsNaN(most));
            return hn::IfThenElse(stays, most, v);
        },
        x, maxima);
}

void fillLoop(float value, float* y, int64_t count) {
    const FloatVector v = hn::Set(FloatTag(), value);
    mapLanes(count, y, [v](FloatTag) HWY_ATTR { return v; });
}

void clampLoop(const float* x, float low, float high, float* y, int64_t count) {
    const FloatVector lowest = hn::Set(FloatTag(), low);
    const FloatVector highest = hn::Set(FloatTag(), high);
    mapLanes(
        count, y,
        [=](FloatTag, FloatVector v) HWY_ATTR {
            const FloatVector raised = hn::IfThenElse(hn::Lt(v, lowest), lowest, v);
            return hn::IfThenElse(hn::Gt(raised, highest), highest, raised);
        },
        x);
}

using IntegerTag = hn::RebindToSigned<FloatTag>;
/// As many bytes as FloatTag has numbers: booleans, 0 or 1.
using FlagTag = hn::Rebind<uint8_t, FloatTag>;
static_assert(sizeof(bool) == 1);

HWY_INLINE hn::Mask<FloatTag> maskAt(const bool* flags, int64_t count) {
    const auto bytes = loadUpTo(FlagTag(), reinterpret_cast<const uint8_t*>(flags), count);
    const IntegerTag d;
    return hn::RebindMask(FloatTag(), hn::Gt(hn::PromoteTo(d, bytes), hn::Zero(d)));
}

HWY_INLINE hn::Vec<FlagTag> flagsOf(hn::Mask<FloatTag> mask) {
    const IntegerTag d;
    return hn::DemoteTo(FlagTag(), hn::IfThenElseZero(hn::RebindMask(d, mask), hn::Set(d, 1)));
}

/// y[i, i + n) = the lanes of maskOf(d, i, n)
template <typename F>
HWY_INLINE void mapFlags(int64_t count, bool* y, F maskOf) {
    const FloatTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    auto* flags = reinterpret_cast<uint8_t*>(y);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(flagsOf(maskOf(d, i, lanes)), FlagTag(), flags + i);
    if (i < count) storeTail(FlagTag(), flagsOf(maskOf(d, i, count - i)), flags + i, count - i);
}

HWY_INLINE FloatVector loadOperand(FloatTag d, simd::Operand operand, int64_t i, int64_t count) {
    return operand.isNumber ? hn::Set(d, *operand.data) : loadUpTo(d, operand.data + i, count);
}

template <typename F>
HWY_INLINE void compareBy(simd::Operand a, simd::Operand b, bool* y, int64_t count, F f) {
    mapFlags(count, y, [=](FloatTag d, int64_t i, int64_t n) HWY_ATTR {
        return f(loadOperand(d, a, i, n), loadOperand(d, b, i, n));
    });
}

void compareLoop(simd::Comparison comparison, simd::Operand a, simd::Operand b, bool* y,
                 int64_t count) {
    switch (comparison) {
        case simd::Comparison::Equal:
            return compareBy(a, b, y, count,
                             [](FloatVector v, FloatVector w) HWY_ATTR { return hn::Eq(v, w); });
        case simd::Comparison::Less:
            return compareBy(a, b, y, count,
                             [](FloatVector v, FloatVector w) HWY_ATTR { return hn::Lt(v, w); });
        case simd::Comparison::LessOrEqual:
            return compareBy(a, b, y, count,
                             [](FloatVector v, FloatVector w) HWY_ATTR { return hn::Le(v, w); });
        case simd::Comparison::Greater: return compareLoop(simd::Comparison::Less, b, a, y, count);
        case simd::Comparison::GreaterOrEqual:
            return compareLoop(simd::Comparison::LessOrEqual, b, a, y, count);
    }
}

void selectLoop(const bool* condition, simd::Operand yes, simd::Operand no, float* y,
                int64_t count) {
    mapAt(count, y, [=](FloatTag d, int64_t i, int64_t n) HWY_ATTR {
        return hn::IfThenElse(maskAt(condition + i, n), loadOperand(d, yes, i, n),
                              loadOperand(d, no, i, n));
    });
}

void isWithinLoop(const float* x, float low, float high, bool* y, int64_t count) {
    const FloatVector lowest = hn::Set(FloatTag(), low), highest = hn::Set(FloatTag(), high);
    mapFlags(count, y, [=](FloatTag d, int64_t i, int64_t n) HWY_ATTR {
        const FloatVector v = loadUpTo(d, x + i, n);
        return hn::Not(hn::Or(hn::Lt(v, lowest), hn::Gt(v, highest)));
    });
}

void scaleWhereLoop(const bool* mask, const float* x, float factor, float* y, int64_t count) {
    const FloatVector f = hn::Set(FloatTag(), factor);
    mapAt(count, y, [=](FloatTag d, int64_t i, int64_t n) HWY_ATTR {
        return hn::IfThenElseZero(maskAt(mask + i, n), hn::Mul(loadUpTo(d, x + i, n), f));
    });
}

void addScaledLoop(const float* x, float factor, float* y, int64_t count) {
    const FloatVector f = hn::Set(FloatTag(), factor);
    mapLanes(
        count, y,
        [f](FloatTag, FloatVector v, FloatVector w) HWY_ATTR { return hn::Add(w, hn::Mul(v, f)); },
        x, y);
}

/// Four rows at a time: the sums are read and written once for them.
void addRowsLoop(const float* x, int64_t rows, int64_t stride, float* sums, int64_t count) {
    for (; rows >= 4; rows -= 4, x += 4 * stride) {
        mapLanes(
            count, sums,
            [](FloatTag, FloatVector s, FloatVector a, FloatVector b, FloatVector c, FloatVector e)
                HWY_ATTR { return hn::Add(hn::Add(hn::Add(hn::Add(s, a), b), c), e); },
            sums, x, x + stride, x + 2 * stride, x + 3 * stride);
    }
    for (; rows > 0; --rows, x += stride) {
        mapLanes(
            count, sums,
            [](FloatTag, FloatVector s, FloatVector a) HWY_ATTR { return hn::Add(s, a); }, sums, x);
    }
}

void addRowsWideLoop(const float* x, int64_t rows, int64_t stride, double* sums, int64_t count) {
    addToColumns(rows, count, sums, [=](int64_t r, int64_t j, int64_t n) HWY_ATTR {
        return loadWide(x + r * stride + j, n);
    });
}

/// Elements that are summed in float before the sum continues in double.
constexpr int64_t kSumBlock = 1024;

/// Parallel chains of additions: at least 16 sums, so that short vectors lose no more digits than
/// long ones.
constexpr int64_t kSumLanes = 16;
constexpr int64_t kChains = std::max<int64_t>(2, kSumLanes / HWY_LANES(float));

/// Sum of value(i, count) over [0, count); `value` gives the lanes at i, 0 past the end.
template <typename F>
HWY_INLINE double sumBlocks(int64_t count, F value) {
    const FloatTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    double total = 0;
    for (int64_t begin = 0; begin < count; begin += kSumBlock) {
        const int64_t end = std::min(begin + kSumBlock, count);
        FloatVector sums[kChains];
        for (FloatVector& sum : sums) sum = hn::Zero(d);
        int64_t i = begin;
        while (i + kChains * lanes <= end) {
            for (FloatVector& sum : sums) {
                sum = hn::Add(sum, value(d, i, lanes));
                i += lanes;
            }
        }
        for (; i < end; i += lanes) {
            sums[0] = hn::Add(sums[0], value(d, i, std::min(lanes, end - i)));
        }
        for (int64_t half = kChains / 2; half > 0; half /= 2) {
            for (int64_t k = 0; k < half; ++k) sums[k] = hn::Add(sums[k], sums[k + half]);
        }
        total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sums[0])));
    }
    return total;
}

double sumLoop(const float* x, int64_t count) {
    return sumBlocks(
        count, [x](FloatTag d, int64_t i, int64_t n) HWY_ATTR { return loadUpTo(d, x + i, n); });
}

double sumInLanesLoop(const float* x, int64_t count) {
    double total[1];
    sumInLanes<1>(
        count,
        [x](LaneTag d, int64_t i, int64_t n)
            HWY_ATTR { return LaneTerms<1>{{loadUpTo(d, x + i, n)}}; },
        total);
    return total[0];
}

double dotLoop(const float* a, const float* b, int64_t count) {
    return sumBlocks(count, [=](FloatTag d, int64_t i, int64_t n) HWY_ATTR {
        return hn::Mul(loadUpTo(d, a + i, n), loadUpTo(d, b + i, n));
    });
}

float maximumLoop(const float* x, int64_t count) {
    const FloatTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    FloatVector best = hn::Set(d, -std::numeric_limits<float>::infinity());
    FloatVector nan = hn::Zero(d);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const FloatVector v = hn::LoadU(d, x + i);
        best = hn::Max(v, best);
        nan = hn::IfThenElse(hn::IsNaN(v), v, nan);
    }
    float result = hn::GetLane(hn::MaxOfLanes(d, best));
    const float nans = hn::GetLane(hn::SumOfLanes(d, nan));
    for (; i < count; ++i) result = !(x[i] <= result) ? x[i] : result;
    return std::isnan(nans) ? nans : result;
}

double expAndSumLoop(const float* x, float maximum, float* y, int64_t count) {
    const FloatVector m = hn::Set(FloatTag(), maximum);
    mapLanes(
        count, y,
        [m](FloatTag d, FloatVector v) HWY_ATTR { return expBelowZero(d, hn::Sub(v, m)); }, x);
    return sumLoop(y, count);
}

double sumOfExpLoop(const float* x, float maximum, int64_t count) {
    constexpr int64_t kBlock = 256;
    float buffer[kBlock];
    double total = 0;
    for (int64_t i = 0; i < count; i += kBlock) {
        total += expAndSumLoop(x + i, maximum, buffer, std::min(kBlock, count - i));
    }
    return total;
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(expLoop);
HWY_EXPORT(logLoop);
HWY_EXPORT(tanhLoop);
HWY_EXPORT(sigmoidLoop);
HWY_EXPORT(erfLoop);
HWY_EXPORT(sqrtLoop);
HWY_EXPORT(addLoop);
HWY_EXPORT(subtractLoop);
HWY_EXPORT(multiplyLoop);
HWY_EXPORT(divideLoop);
HWY_EXPORT(expTimesLoop);
HWY_EXPORT(subtractTwiceLoop);
HWY_EXPORT(raiseLoop);
HWY_EXPORT(fillLoop);
HWY_EXPORT(clampLoop);
HWY_EXPORT(compareLoop);
HWY_EXPORT(selectLoop);
HWY_EXPORT(isWithinLoop);
HWY_EXPORT(scaleWhereLoop);
HWY_EXPORT(addScaledLoop);
HWY_EXPORT(addRowsLoop);
HWY_EXPORT(addRowsWideLoop);
HWY_EXPORT(sumLoop);
HWY_EXPORT(sumInLanesLoop);
HWY_EXPORT(dotLoop);
HWY_EXPORT(maximumLoop);
HWY_EXPORT(expAndSumLoop);
HWY_EXPORT(sumOfExpLoop);
}  // namespace

namespace simd {

void exp(const float* x, float* y, int64_t count) { HWY_DYNAMIC_DISPATCH(expLoop)(x, y, count); }
void log(const float* x, float* y, int64_t count) { HWY_DYNAMIC_DISPATCH(logLoop)(x, y, count); }
void tanh(const float* x, float* y, int64_t count) { HWY_DYNAMIC_DISPATCH(tanhLoop)(x, y, count); }
void sigmoid(const float* x, float* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(sigmoidLoop)(x, y, count);
}
void erf(const float* x, float* y, int64_t count) { HWY_DYNAMIC_DISPATCH(erfLoop)(x, y, count); }
void sqrt(const float* x, float* y, int64_t count) { HWY_DYNAMIC_DISPATCH(sqrtLoop)(x, y, count); }

void add(Operand a, Operand b, float* out, int64_t count) {
    HWY_DYNAMIC_DISPATCH(addLoop)(a, b, out, count);
}
void subtract(Operand a, Operand b, float* out, int64_t count) {
    HWY_DYNAMIC_DISPATCH(subtractLoop)(a, b, out, count);
}
void multiply(Operand a, Operand b, float* out, int64_t count) {
    HWY_DYNAMIC_DISPATCH(multiplyLoop)(a, b, out, count);
}
void divide(Operand a, Operand b, float* out, int64_t count) {
    HWY_DYNAMIC_DISPATCH(divideLoop)(a, b, out, count);
}
void scale(const float* x, float factor, float* y, int64_t count) {
    multiply({x}, {&factor, true}, y, count);
}
void expTimes(const float* x, Operand factor, float* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(expTimesLoop)(x, factor, y, count);
}
void subtractTwice(const float* x, Operand a, Operand b, float* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(subtractTwiceLoop)(x, a, b, y, count);
}
void raise(const float* x, float* maxima, int64_t count) {
    HWY_DYNAMIC_DISPATCH(raiseLoop)(x, maxima, count);
}
void fill(float value, float* y, int64_t count) { HWY_DYNAMIC_DISPATCH(fillLoop)(value, y, count); }
void clamp(const float* x, float low, float high, float* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(clampLoop)(x, low, high, y, count);
}
void compare(Comparison comparison, Operand a, Operand b, bool* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(compareLoop)(comparison, a, b, y, count);
}
void select(const bool* condition, Operand yes, Operand no, float* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(selectLoop)(condition, yes, no, y, count);
}
void isWithin(const float* x, float low, float high, bool* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(isWithinLoop)(x, low, high, y, count);
}
void scaleWhere(const bool* mask, const float* x, float factor, float* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(scaleWhereLoop)(mask, x, factor, y, count);
}
void addScaled(const float* x, float factor, float* y, int64_t count) {
    HWY_DYNAMIC_DISPATCH(addScaledLoop)(x, factor, y, count);
}
void addRows(const float* x, int64_t rows, int64_t stride, float* sums, int64_t count) {
    HWY_DYNAMIC_DISPATCH(addRowsLoop)(x, rows, stride, sums, count);
}
void addRows(const float* x, int64_t rows, int64_t stride, double* sums, int64_t count) {
    HWY_DYNAMIC_DISPATCH(addRowsWideLoop)(x, rows, stride, sums, count);
}

double sum(const float* x, int64_t count) { return HWY_DYNAMIC_DISPATCH(sumLoop)(x, count); }
double sumInLanes(const float* x, int64_t count) {
    if (count < SumOrder::kLanes) return sumOver<float>(count, [x](int64_t i) { return x[i]; });
    return HWY_DYNAMIC_DISPATCH(sumInLanesLoop)(x, count);
}
double sumInLanes(const double* x, int64_t count) {
    return sumOver<double>(count, [x](int64_t i) { return x[i]; });
}
double sumOfSquares(const float* x, int64_t count) { return dot(x, x, count); }
double dot(const float* a, const float* b, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(dotLoop)(a, b, count);
}
float maximum(const float* x, int64_t count) { return HWY_DYNAMIC_DISPATCH(maximumLoop)(x, count); }
double expAndSum(const float* x, float maximum, float* y, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(expAndSumLoop)(x, maximum, y, count);
}
double sumOfExp(const float* x, float maximum, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(sumOfExpLoop)(x, maximum, count);
}

}  // namespace simd
}  // namespace temper
#endif
