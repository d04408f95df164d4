// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper {

/// Adjacent columns along the normalized axis: element l of column j is at x[l * stride + j]. At
/// most kSoftmaxColumns at a time, so that their sums fit on the stack.
struct SoftmaxSlab {
    int64_t length = 0;   ///< elements of the axis
    int64_t stride = 1;   ///< from one element of a column to the next
    int64_t columns = 1;  ///< 1 if stride is 1: a row
};
inline constexpr int64_t kSoftmaxColumns = 128;

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

}  // namespace temper
