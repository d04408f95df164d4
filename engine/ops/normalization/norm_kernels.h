// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include "engine/ops/normalization/norm_loops_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/ops/visit_types_cpu.h"
#include "engine/runtime/cpu/sums.h"

namespace temper {

// What the kernels of the normalizations share.

/// Rows or channels per task, for tasks of tens of thousands of elements.
inline int64_t taskGrain(int64_t elements) { return 1 + (1 << 15) / (elements + 1); }

// Loops over arrays with one mean. Those of floats are vectorized, with the same bits, if they are
// long enough.

inline constexpr int64_t kMinVectorized = 8;

/// Sum of (x - mean)^2.
template <typename T>
double squaresFrom(T mean, const T* x, int64_t count) {
    if constexpr (isFloat<T>) {
        if (count >= kMinVectorized) return simd::squaresFrom(mean, x, count);
    }
    return sumOver<T>(count, [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
}

/// y = (x - mean) * factor + bias.
template <typename T>
void scaleAndShift(const T* x, T* y, int64_t count, T mean, T factor, T bias) {
    if constexpr (isFloat<T>) {
        if (count >= kMinVectorized) return simd::normalize(x, y, count, mean, factor, bias);
    }
    for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean) * factor + bias;
}

/// Sums of dy and of dy (x - mean).
template <typename T>
simd::GradientTotals gradientTotals(const T* dy, const T* x, int64_t count, T mean) {
    if constexpr (isFloat<T>) {
        if (count >= kMinVectorized) return simd::gradientTotals(dy, x, count, mean);
    }
    return {simd::sumInLanes(dy, count),
            sumOver<T>(count, [&](int64_t i) { return dy[i] * (x[i] - mean); })};
}

/// dx = factor (dy - shift - (x - mean) slope)
template <typename T>
struct NormGradient {
    T mean, factor, shift, slope;
};
template <typename T>
void normalizeGradient(const T* dy, const T* x, T* dx, int64_t count, const NormGradient<T>& by) {
    if constexpr (isFloat<T>) {
        if (count >= kMinVectorized) {
            return simd::normalizeGradient(dy, x, dx, count,
                                           {by.mean, by.factor, by.shift, by.slope});
        }
    }
    for (int64_t i = 0; i < count; ++i)
        dx[i] = by.factor * (dy[i] - by.shift - (x[i] - by.mean) * by.slope);
}

/// Mean and population variance of consecutive numbers, in two passes.
template <typename T>
struct RowMoments {
    T mean{};
    T variance{};

    static RowMoments of(const T* x, int64_t count) {
        const auto size = static_cast<double>(count);
        const T mean = static_cast<T>(simd::sumInLanes(x, count) / size);
        return {mean, static_cast<T>(squaresFrom(mean, x, count) / size)};
    }
};

}  // namespace temper
