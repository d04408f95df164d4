// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include "engine/ops/visit_types_cpu.h"
#include "engine/runtime/cpu/sums.h"

namespace temper {

// What the kernels of the normalizations share.

/// Rows or channels per task, for tasks of tens of thousands of elements.
inline int64_t taskGrain(int64_t elements) { return 1 + (1 << 15) / (elements + 1); }

/// y = (x - mean) * factor + bias.
template <typename T>
void scaleAndShift(const T* __restrict x, T* y, int64_t count, T mean, T factor, T bias) {
    for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean) * factor + bias;
}

/// Mean and population variance of consecutive numbers, in two passes.
template <typename T>
struct RowMoments {
    T mean{};
    T variance{};

    static RowMoments of(const T* x, int64_t count) {
        const auto size = static_cast<double>(count);
        const T mean = static_cast<T>(sumOver<T>(count, [&](int64_t i) { return x[i]; }) / size);
        const double squares = sumOver<T>(count, [&](int64_t i) {
            const T centered = x[i] - mean;
            return centered * centered;
        });
        return {mean, static_cast<T>(squares / size)};
    }
};

}  // namespace temper
