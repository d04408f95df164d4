// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/softmax/softmax_loops_cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/ops/simd_cpu.h"

namespace temper {
namespace {

// The same names for both types: vectorized for float.

void exponentials(const float* x, float* y, int64_t count) { simd::exp(x, y, count); }
void exponentials(const double* x, double* y, int64_t count) {
    std::transform(x, x + count, y, [](double v) { return std::exp(v); });
}

void difference(const float* a, const float* b, float* out, int64_t count) {
    simd::subtract({a}, {b}, out, count);
}
void difference(const double* a, const double* b, double* out, int64_t count) {
    std::transform(a, a + count, b, out, [](double v, double w) { return v - w; });
}

void product(const float* a, const float* b, float* out, int64_t count) {
    simd::multiply({a}, {b}, out, count);
}
void product(const double* a, const double* b, double* out, int64_t count) {
    std::transform(a, a + count, b, out, [](double v, double w) { return v * w; });
}

void shift(const float* x, const float* a, const float* b, float* out, int64_t count) {
    simd::subtractTwice(x, {a}, {b}, out, count);
}
void shift(const double* x, const double* a, const double* b, double* out, int64_t count) {
    for (int64_t i = 0; i < count; ++i) out[i] = (x[i] - a[i]) - b[i];
}

void raise(const float* x, float* maxima, int64_t count) { simd::raise(x, maxima, count); }
void raise(const double* x, double* maxima, int64_t count) {
    for (int64_t j = 0; j < count; ++j)
        maxima[j] = x[j] <= maxima[j] || std::isnan(maxima[j]) ? maxima[j] : x[j];
}

void addRow(const float* row, int64_t columns, double* sums) {
    simd::addRows(row, 1, columns, sums, columns);
}
void addRow(const double* row, int64_t columns, double* sums) {
    for (int64_t j = 0; j < columns; ++j) sums[j] += row[j];
}

/// The maximum of each column; NaN if it holds one.
template <typename T>
void columnMaxima(const T* x, const SoftmaxSlab& slab, T* maxima) {
    std::fill(maxima, maxima + slab.columns, -std::numeric_limits<T>::infinity());
    for (int64_t l = 0; l < slab.length; ++l) raise(x + l * slab.stride, maxima, slab.columns);
}

bool isRow(const SoftmaxSlab& slab) { return slab.columns == 1 && slab.stride == 1; }

/// y = exp(x - maximum) per column, and the sums.
template <typename T>
void expColumns(const T* x, T* y, const SoftmaxSlab& slab, const T* maxima, double* sums) {
    std::fill(sums, sums + slab.columns, 0.0);
    for (int64_t l = 0; l < slab.length; ++l) {
        T* row = y + l * slab.stride;
        difference(x + l * slab.stride, maxima, row, slab.columns);
        exponentials(row, row, slab.columns);
        addRow(row, slab.columns, sums);
    }
}

/// A row of double, or columns of either type.
template <typename T>
void softmaxColumns(const T* x, T* y, const SoftmaxSlab& slab) {
    T maxima[kSoftmaxColumns];
    double sums[kSoftmaxColumns];
    columnMaxima(x, slab, maxima);
    expColumns(x, y, slab, maxima, sums);
    T factors[kSoftmaxColumns];
    for (int64_t j = 0; j < slab.columns; ++j) factors[j] = static_cast<T>(1.0 / sums[j]);
    for (int64_t l = 0; l < slab.length; ++l) {
        T* row = y + l * slab.stride;
        product(row, factors, row, slab.columns);
    }
}

template <typename T>
void logSumExpColumns(const T* x, const SoftmaxSlab& slab, T* maxima, T* logarithms) {
    T exps[kSoftmaxColumns];
    double sums[kSoftmaxColumns] = {};
    columnMaxima(x, slab, maxima);
    for (int64_t l = 0; l < slab.length; ++l) {
        difference(x + l * slab.stride, maxima, exps, slab.columns);
        exponentials(exps, exps, slab.columns);
        addRow(exps, slab.columns, sums);
    }
    for (int64_t j = 0; j < slab.columns; ++j) logarithms[j] = static_cast<T>(std::log(sums[j]));
}

/// The exponentials of a row, in blocks on the stack.
template <typename T>
void logSoftmaxGradRow(const T* dy, const T* y, T* dx, int64_t length) {
    double sum = 0;
    for (int64_t l = 0; l < length; ++l) sum += static_cast<double>(dy[l]);
    T exps[kSoftmaxColumns];
    for (int64_t begin = 0; begin < length; begin += kSoftmaxColumns) {
        const int64_t count = std::min(kSoftmaxColumns, length - begin);
        exponentials(y + begin, exps, count);
        for (int64_t l = 0; l < count; ++l) {
            dx[begin + l] = dy[begin + l] - exps[l] * static_cast<T>(sum);
        }
    }
}

/// dx = y (dy - sum dy y), in blocks on the stack: dx may be dy or y.
void softmaxGradRow(const float* dy, const float* y, float* dx, int64_t length) {
    const auto sum = static_cast<float>(simd::dot(dy, y, length));
    float differences[kSoftmaxColumns];
    for (int64_t begin = 0; begin < length; begin += kSoftmaxColumns) {
        const int64_t count = std::min(kSoftmaxColumns, length - begin);
        simd::subtract({dy + begin}, {&sum, true}, differences, count);
        simd::multiply({differences}, {y + begin}, dx + begin, count);
    }
}

/// Sum of exp(x - maximum) in single precision, from the first to the last, as ORT adds them: small
/// losses of a few classes agree to the bit. Rows with more classes than that would lose digits.
float sumOfExpInOrder(const float* x, float maximum, int64_t length) {
    if (length > kSoftmaxColumns) return static_cast<float>(simd::sumOfExp(x, maximum, length));
    float exps[kSoftmaxColumns] = {};
    for (int64_t l = 0; l < length; ++l) exps[l] = x[l] - maximum;
    exponentials(exps, exps, length);
    float sum = 0;
    for (int64_t l = 0; l < length; ++l) sum += exps[l];
    return sum;
}

}  // namespace

template <typename T>
void softmaxSlab(const T* x, T* y, const SoftmaxSlab& slab) {
    if constexpr (std::is_same_v<T, float>) {
        if (isRow(slab)) {
            const double sum = simd::expAndSum(x, simd::maximum(x, slab.length), y, slab.length);
            return simd::scale(y, static_cast<float>(1.0 / sum), y, slab.length);
        }
    }
    softmaxColumns(x, y, slab);
}

template <typename T>
void logSumExpSlab(const T* x, const SoftmaxSlab& slab, T* maxima, T* logarithms) {
    if constexpr (std::is_same_v<T, float>) {
        if (isRow(slab)) {
            maxima[0] = simd::maximum(x, slab.length);
            logarithms[0] = std::log(sumOfExpInOrder(x, maxima[0], slab.length));
            return;
        }
    }
    logSumExpColumns(x, slab, maxima, logarithms);
}

template <typename T>
void logProbabilitiesSlab(const T* x, T* y, const SoftmaxSlab& slab, const T* maxima,
                          const T* logarithms) {
    // Two steps: the maximum may be so large that adding the logarithm to it would lose digits.
    if constexpr (std::is_same_v<T, float>) {
        if (isRow(slab))
            return simd::subtractTwice(x, {maxima, true}, {logarithms, true}, y, slab.length);
    }
    for (int64_t l = 0; l < slab.length; ++l) {
        const int64_t at = l * slab.stride;
        shift(x + at, maxima, logarithms, y + at, slab.columns);
    }
}

template <typename T>
void logSoftmaxSlab(const T* x, T* y, const SoftmaxSlab& slab) {
    T maxima[kSoftmaxColumns];
    T logarithms[kSoftmaxColumns];
    logSumExpSlab(x, slab, maxima, logarithms);
    logProbabilitiesSlab(x, y, slab, maxima, logarithms);
}

template <typename T>
void hardmaxSlab(const T* x, T* y, const SoftmaxSlab& slab) {
    for (int64_t j = 0; j < slab.columns; ++j) {
        int64_t best = 0;
        for (int64_t l = 1; l < slab.length; ++l) {
            if (x[l * slab.stride + j] > x[best * slab.stride + j]) best = l;
        }
        for (int64_t l = 0; l < slab.length; ++l) y[l * slab.stride + j] = l == best ? T{1} : T{0};
    }
}

template <typename T>
void softmaxGradSlab(const T* dy, const T* y, T* dx, const SoftmaxSlab& slab) {
    if constexpr (std::is_same_v<T, float>) {
        if (isRow(slab)) return softmaxGradRow(dy, y, dx, slab.length);
    }
    double sums[kSoftmaxColumns] = {};
    for (int64_t l = 0; l < slab.length; ++l) {
        const int64_t at = l * slab.stride;
        for (int64_t j = 0; j < slab.columns; ++j) {
            sums[j] += static_cast<double>(dy[at + j]) * static_cast<double>(y[at + j]);
        }
    }
    for (int64_t l = 0; l < slab.length; ++l) {
        const int64_t at = l * slab.stride;
        for (int64_t j = 0; j < slab.columns; ++j) {
            dx[at + j] = y[at + j] * (dy[at + j] - static_cast<T>(sums[j]));
        }
    }
}

template <typename T>
void logSoftmaxGradSlab(const T* dy, const T* y, T* dx, const SoftmaxSlab& slab) {
    if (isRow(slab)) return logSoftmaxGradRow(dy, y, dx, slab.length);
    double sums[kSoftmaxColumns] = {};
    for (int64_t l = 0; l < slab.length; ++l) addRow(dy + l * slab.stride, slab.columns, sums);
    T row[kSoftmaxColumns];
    for (int64_t l = 0; l < slab.length; ++l) {
        const int64_t at = l * slab.stride;
        exponentials(y + at, row, slab.columns);
        for (int64_t j = 0; j < slab.columns; ++j) {
            dx[at + j] = dy[at + j] - row[j] * static_cast<T>(sums[j]);
        }
    }
}

template void softmaxSlab<float>(const float*, float*, const SoftmaxSlab&);
template void softmaxSlab<double>(const double*, double*, const SoftmaxSlab&);
template void logSumExpSlab<float>(const float*, const SoftmaxSlab&, float*, float*);
template void logSumExpSlab<double>(const double*, const SoftmaxSlab&, double*, double*);
template void logProbabilitiesSlab<float>(const float*, float*, const SoftmaxSlab&, const float*,
                                          const float*);
template void logProbabilitiesSlab<double>(const double*, double*, const SoftmaxSlab&,
                                           const double*, const double*);
template void logSoftmaxSlab<float>(const float*, float*, const SoftmaxSlab&);
template void logSoftmaxSlab<double>(const double*, double*, const SoftmaxSlab&);
template void hardmaxSlab<float>(const float*, float*, const SoftmaxSlab&);
template void hardmaxSlab<double>(const double*, double*, const SoftmaxSlab&);
template void softmaxGradSlab<float>(const float*, const float*, float*, const SoftmaxSlab&);
template void softmaxGradSlab<double>(const double*, const double*, double*, const SoftmaxSlab&);
template void logSoftmaxGradSlab<float>(const float*, const float*, float*, const SoftmaxSlab&);
template void logSoftmaxGradSlab<double>(const double*, const double*, double*, const SoftmaxSlab&);

}  // namespace temper
