// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/core/thread_pool.h"

namespace temper {

/// Adjacent columns along the normalized axis: element l of column j is at x[l * stride + j]. At
/// most kSoftmaxColumns at a time, so that their sums fit on the stack.
struct SoftmaxSlab {
    int64_t length = 0;   ///< elements of the axis
    int64_t stride = 1;   ///< from one element of a column to the next
    int64_t columns = 1;  ///< 1 if stride is 1: a row
};
inline constexpr int64_t kSoftmaxColumns = 128;

/// An array [outer, length, inner], normalized over the middle.
struct SoftmaxLayout {
    int64_t outer = 1;
    int64_t length = 1;
    int64_t inner = 1;
};

/// Calls f(block, first, slab) for slabs that cover the array, several per task: the columns from
/// `first` on of block [length, inner] number `block`.
template <typename F>
void forEachSlab(ThreadPool& pool, const SoftmaxLayout& layout, const F& f) {
    constexpr int64_t kTaskElements = 16384;
    const int64_t slabs = (layout.inner + kSoftmaxColumns - 1) / kSoftmaxColumns;
    const int64_t width = std::min(layout.inner, kSoftmaxColumns);
    const int64_t grain =
        std::max<int64_t>(1, kTaskElements / std::max<int64_t>(1, layout.length * width));
    pool.forRanges(layout.outer * slabs, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t first = i % slabs * kSoftmaxColumns;
            f(i / slabs, first,
              SoftmaxSlab{layout.length, layout.inner,
                          std::min(kSoftmaxColumns, layout.inner - first)});
        }
    });
}

// Each for float and double. Outputs may be the inputs.

template <typename T>
void softmaxSlab(const T* x, T* y, const SoftmaxSlab& slab);
template <typename T>
void logSoftmaxSlab(const T* x, T* y, const SoftmaxSlab& slab);
/// 1 at the first maximum of each column, else 0.
template <typename T>
void hardmaxSlab(const T* x, T* y, const SoftmaxSlab& slab);
/// dx = y (dy - sum(dy y))
template <typename T>
void softmaxGradSlab(const T* dy, const T* y, T* dx, const SoftmaxSlab& slab);
/// dx = dy - exp(y) sum(dy)
template <typename T>
void logSoftmaxGradSlab(const T* dy, const T* y, T* dx, const SoftmaxSlab& slab);
/// The maximum of each column, and the logarithm of the sum of exp(x - maximum).
template <typename T>
void logSumExpSlab(const T* x, const SoftmaxSlab& slab, T* maxima, T* logarithms);
/// y = (x - maximum) - logarithm, with those of logSumExpSlab()
template <typename T>
void logProbabilitiesSlab(const T* x, T* y, const SoftmaxSlab& slab, const T* maxima,
                          const T* logarithms);

}  // namespace temper
