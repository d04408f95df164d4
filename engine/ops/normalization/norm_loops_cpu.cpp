// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/normalization/norm_loops_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/normalization/norm_loops_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

// Arrays with one mean

double squaresFromLoop(float mean, const float* x, int64_t count) {
    const LaneVector m = hn::Set(LaneTag(), mean);
    double total[1];
    sumInLanes<1>(
        count,
        [=](LaneTag d, int64_t i, int64_t n) HWY_ATTR {
            const LaneVector centered = hn::Sub(loadUpTo(d, x + i, n), m);
            return LaneTerms<1>{{hn::Mul(centered, centered)}};
        },
        total);
    return total[0];
}

simd::GradientTotals gradientTotalsLoop(const float* dy, const float* x, int64_t count,
                                        float mean) {
    const LaneVector m = hn::Set(LaneTag(), mean);
    double totals[2];
    sumInLanes<2>(
        count,
        [=](LaneTag d, int64_t i, int64_t n) HWY_ATTR {
            const LaneVector gradient = loadUpTo(d, dy + i, n);
            const LaneVector centered = hn::Sub(loadUpTo(d, x + i, n), m);
            return LaneTerms<2>{{gradient, hn::Mul(gradient, centered)}};
        },
        totals);
    return {totals[0], totals[1]};
}

HWY_INLINE FloatVector normalized(FloatVector x, FloatVector mean, FloatVector factor,
                                  FloatVector bias) {
    return hn::Add(hn::Mul(hn::Sub(x, mean), factor), bias);
}

HWY_INLINE FloatVector gradientOf(FloatVector dy, FloatVector x, FloatVector mean,
                                  FloatVector factor, FloatVector shift, FloatVector slope) {
    const FloatVector centered = hn::Sub(x, mean);
    return hn::Mul(factor, hn::Sub(hn::Sub(dy, shift), hn::Mul(centered, slope)));
}

void normalizeLoop(const float* x, float* y, int64_t count, float mean, float factor, float bias) {
    const FloatTag tag;
    const FloatVector m = hn::Set(tag, mean), f = hn::Set(tag, factor), b = hn::Set(tag, bias);
    mapLanes(
        count, y, [=](FloatTag, FloatVector v) HWY_ATTR { return normalized(v, m, f, b); }, x);
}

void normalizeGradientLoop(const float* dy, const float* x, float* dx, int64_t count,
                           const simd::NormGradient& by) {
    const FloatTag tag;
    const FloatVector mean = hn::Set(tag, by.mean), factor = hn::Set(tag, by.factor),
                      shift = hn::Set(tag, by.shift), slope = hn::Set(tag, by.slope);
    mapLanes(
        count, dx,
        [=](FloatTag, FloatVector g, FloatVector v)
            HWY_ATTR { return gradientOf(g, v, mean, factor, shift, slope); },
        dy, x);
}

// Rows of columns

void addSquaresFromLoop(const double* mean, const float* x, int64_t rows, int64_t stride,
                        double* sums, int64_t count) {
    addToColumns(rows, count, sums, [=](int64_t r, int64_t j, int64_t n) HWY_ATTR {
        const DoubleVector centered =
            hn::Sub(loadWide(x + r * stride + j, n), loadUpTo(DoubleTag(), mean + j, n));
        return hn::Mul(centered, centered);
    });
}

void addProductsLoop(const float* dy, const float* x, const float* mean, int64_t rows,
                     int64_t stride, double* sums, int64_t count) {
    addToColumns(rows, count, sums, [=](int64_t r, int64_t j, int64_t n) HWY_ATTR {
        const NarrowTag d;
        const int64_t at = r * stride + j;
        const auto centered = hn::Sub(loadUpTo(d, x + at, n), loadUpTo(d, mean + j, n));
        return hn::PromoteTo(DoubleTag(), hn::Mul(loadUpTo(d, dy + at, n), centered));
    });
}

void normalizeRowsLoop(const float* x, float* y, int64_t rows, int64_t columns,
                       const simd::NormColumns& by) {
    for (int64_t at = 0; at < rows * columns; at += columns) {
        mapLanes(
            columns, y + at,
            [](FloatTag, FloatVector v, FloatVector mean, FloatVector factor, FloatVector bias)
                HWY_ATTR { return normalized(v, mean, factor, bias); },
            x + at, by.mean, by.factor, by.bias);
    }
}

void normalizeGradientRowsLoop(const float* dy, const float* x, float* dx, int64_t rows,
                               int64_t columns, const simd::NormGradientColumns& by) {
    for (int64_t at = 0; at < rows * columns; at += columns) {
        mapLanes(
            columns, dx + at,
            [](FloatTag, FloatVector g, FloatVector v, FloatVector mean, FloatVector factor,
               FloatVector shift, FloatVector slope)
                HWY_ATTR { return gradientOf(g, v, mean, factor, shift, slope); },
            dy + at, x + at, by.mean, by.factor, by.shift, by.slope);
    }
}

// A row whose elements have their own scale and bias

void scaleRowLoop(const float* x, float* y, int64_t count, float mean, float inverse,
                  const float* scale, const float* bias) {
    const FloatVector m = hn::Set(FloatTag(), mean), r = hn::Set(FloatTag(), inverse);
    if (bias == nullptr) {
        mapLanes(
            count, y,
            [=](FloatTag, FloatVector v, FloatVector s)
                HWY_ATTR { return hn::Mul(hn::Mul(hn::Sub(v, m), r), s); },
            x, scale);
        return;
    }
    mapLanes(
        count, y,
        [=](FloatTag, FloatVector v, FloatVector s, FloatVector b)
            HWY_ATTR { return hn::Add(hn::Mul(hn::Mul(hn::Sub(v, m), r), s), b); },
        x, scale, bias);
}

using Row = simd::NormalizedRow<float>;

/// x̂ from the values of a row.
struct FromInput {
    template <class D>
    static HWY_INLINE hn::Vec<D> at(D d, const Row& row, int64_t i, int64_t n) {
        const auto centered = hn::Sub(loadUpTo(d, row.values + i, n), hn::Set(d, row.mean));
        return hn::Mul(centered, hn::Set(d, row.inverse));
    }
};

/// x̂ from what the normalization made of it.
struct FromOutput {
    template <class D>
    static HWY_INLINE hn::Vec<D> at(D d, const Row& row, int64_t i, int64_t n) {
        const auto centered = hn::Sub(loadUpTo(d, row.values + i, n), loadUpTo(d, row.bias + i, n));
        return hn::Div(centered, loadUpTo(d, row.scale + i, n));
    }
};

template <typename Normalized>
HWY_INLINE simd::GradientTotals rowTotalsOf(const float* dy, const Row& row) {
    double totals[2];
    sumInLanes<2>(
        row.count,
        [=](LaneTag d, int64_t i, int64_t n) HWY_ATTR {
            const LaneVector scaled =
                hn::Mul(loadUpTo(d, dy + i, n), loadUpTo(d, row.scale + i, n));
            return LaneTerms<2>{{scaled, hn::Mul(scaled, Normalized::at(d, row, i, n))}};
        },
        totals);
    return {totals[0], totals[1]};
}

template <typename Normalized>
HWY_INLINE void rowGradientOf(const float* dy, const Row& row, float meanB, float meanC,
                              float* dx) {
    mapAt(row.count, dx, [=](FloatTag d, int64_t i, int64_t n) HWY_ATTR {
        const FloatVector scaled = hn::Mul(loadUpTo(d, dy + i, n), loadUpTo(d, row.scale + i, n));
        const FloatVector slope = hn::Mul(Normalized::at(d, row, i, n), hn::Set(d, meanC));
        return hn::Mul(hn::Set(d, row.inverse), hn::Sub(hn::Sub(scaled, hn::Set(d, meanB)), slope));
    });
}

template <typename Normalized>
HWY_INLINE void addRowProductsOf(const float* dy, const Row& row, float* sums) {
    mapAt(row.count, sums, [=](FloatTag d, int64_t i, int64_t n) HWY_ATTR {
        const FloatVector product = hn::Mul(loadUpTo(d, dy + i, n), Normalized::at(d, row, i, n));
        return hn::Add(loadUpTo(d, sums + i, n), product);
    });
}

simd::GradientTotals rowTotalsLoop(const float* dy, const Row& row) {
    return row.bias == nullptr ? rowTotalsOf<FromInput>(dy, row) : rowTotalsOf<FromOutput>(dy, row);
}

void rowGradientLoop(const float* dy, const Row& row, float meanB, float meanC, float* dx) {
    if (row.bias == nullptr) return rowGradientOf<FromInput>(dy, row, meanB, meanC, dx);
    rowGradientOf<FromOutput>(dy, row, meanB, meanC, dx);
}

void addRowProductsLoop(const float* dy, const Row& row, float* sums) {
    if (row.bias == nullptr) return addRowProductsOf<FromInput>(dy, row, sums);
    addRowProductsOf<FromOutput>(dy, row, sums);
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(squaresFromLoop);
HWY_EXPORT(gradientTotalsLoop);
HWY_EXPORT(normalizeLoop);
HWY_EXPORT(normalizeGradientLoop);
HWY_EXPORT(addSquaresFromLoop);
HWY_EXPORT(addProductsLoop);
HWY_EXPORT(normalizeRowsLoop);
HWY_EXPORT(normalizeGradientRowsLoop);
HWY_EXPORT(scaleRowLoop);
HWY_EXPORT(rowTotalsLoop);
HWY_EXPORT(rowGradientLoop);
HWY_EXPORT(addRowProductsLoop);
}  // namespace

namespace simd {

double squaresFrom(float mean, const float* x, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(squaresFromLoop)(mean, x, count);
}

GradientTotals gradientTotals(const float* dy, const float* x, int64_t count, float mean) {
    return HWY_DYNAMIC_DISPATCH(gradientTotalsLoop)(dy, x, count, mean);
}

void normalize(const float* x, float* y, int64_t count, float mean, float factor, float bias) {
    HWY_DYNAMIC_DISPATCH(normalizeLoop)(x, y, count, mean, factor, bias);
}

void normalizeGradient(const float* dy, const float* x, float* dx, int64_t count,
                       const NormGradient& by) {
    HWY_DYNAMIC_DISPATCH(normalizeGradientLoop)(dy, x, dx, count, by);
}

void addSquaresFrom(const double* mean, const float* x, int64_t rows, int64_t stride, double* sums,
                    int64_t count) {
    HWY_DYNAMIC_DISPATCH(addSquaresFromLoop)(mean, x, rows, stride, sums, count);
}

void addProducts(const float* dy, const float* x, const float* mean, int64_t rows, int64_t stride,
                 double* sums, int64_t count) {
    HWY_DYNAMIC_DISPATCH(addProductsLoop)(dy, x, mean, rows, stride, sums, count);
}

void normalizeRows(const float* x, float* y, int64_t rows, int64_t columns, const NormColumns& by) {
    HWY_DYNAMIC_DISPATCH(normalizeRowsLoop)(x, y, rows, columns, by);
}

void normalizeGradientRows(const float* dy, const float* x, float* dx, int64_t rows,
                           int64_t columns, const NormGradientColumns& by) {
    HWY_DYNAMIC_DISPATCH(normalizeGradientRowsLoop)(dy, x, dx, rows, columns, by);
}

void scaleRow(const float* x, float* y, int64_t count, float mean, float inverse,
              const float* scale, const float* bias) {
    HWY_DYNAMIC_DISPATCH(scaleRowLoop)(x, y, count, mean, inverse, scale, bias);
}

GradientTotals rowTotals(const float* dy, const NormalizedRow<float>& row) {
    return HWY_DYNAMIC_DISPATCH(rowTotalsLoop)(dy, row);
}

void rowGradient(const float* dy, const NormalizedRow<float>& row, float meanB, float meanC,
                 float* dx) {
    HWY_DYNAMIC_DISPATCH(rowGradientLoop)(dy, row, meanB, meanC, dx);
}

void addRowProducts(const float* dy, const NormalizedRow<float>& row, float* sums) {
    HWY_DYNAMIC_DISPATCH(addRowProductsLoop)(dy, row, sums);
}

}  // namespace simd
}  // namespace temper
#endif
