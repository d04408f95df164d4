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

// The same names for both types: vectorized for float, with the bits of the definitions for double.

/// Sum of (x - mean)^2.
inline double squaresFrom(float mean, const float* x, int64_t count) {
    return simd::squaresFrom(mean, x, count);
}
inline double squaresFrom(double mean, const double* x, int64_t count) {
    return sumOver<double>(count, [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
}

/// y = (x - mean) * factor + bias.
inline void scaleAndShift(const float* x, float* y, int64_t count, float mean, float factor,
                          float bias) {
    simd::normalize(x, y, count, mean, factor, bias);
}
inline void scaleAndShift(const double* x, double* y, int64_t count, double mean, double factor,
                          double bias) {
    for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean) * factor + bias;
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
