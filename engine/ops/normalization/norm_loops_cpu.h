// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Loops of normalizations over float arrays. They use the widest vector instructions of the
/// machine and give the same bits with all of them: sums over an array are in the order of
/// sumOver(), sums of columns go from row to row. Outputs may be the inputs of the same size.
namespace temper::simd {

// Arrays with one mean

/// Sum of (x - mean)^2.
double squaresFrom(float mean, const float* x, int64_t count);

struct GradientTotals {
    double gradients = 0;
    double products = 0;
};
/// Sums of dy and of dy (x - mean).
GradientTotals gradientTotals(const float* dy, const float* x, int64_t count, float mean);

/// y = (x - mean) factor + bias
void normalize(const float* x, float* y, int64_t count, float mean, float factor, float bias);

/// dx = factor (dy - shift - (x - mean) slope)
struct NormGradient {
    float mean;
    float factor;
    float shift;
    float slope;
};
void normalizeGradient(const float* dy, const float* x, float* dx, int64_t count,
                       const NormGradient& by);

// Rows of columns, each of which has its own mean

/// sums += (x - mean)^2
void addSquaresFrom(const double* mean, const float* x, int64_t rows, int64_t stride, double* sums,
                    int64_t count);
/// sums += dy (x - mean), rounded to float
void addProducts(const float* dy, const float* x, const float* mean, int64_t rows, int64_t stride,
                 double* sums, int64_t count);

/// The numbers of normalize(), by column.
struct NormColumns {
    const float* mean;
    const float* factor;
    const float* bias;
};
void normalizeRows(const float* x, float* y, int64_t rows, int64_t columns, const NormColumns& by);

/// The numbers of normalizeGradient(), by column.
struct NormGradientColumns {
    const float* mean;
    const float* factor;
    const float* shift;
    const float* slope;
};
void normalizeGradientRows(const float* dy, const float* x, float* dx, int64_t rows,
                           int64_t columns, const NormGradientColumns& by);

// A row whose elements have their own scale and bias

/// y = (x - mean) inverse scale [+ bias]; no bias if null.
void scaleRow(const float* x, float* y, int64_t count, float mean, float inverse,
              const float* scale, const float* bias);

/// A normalized row x̂ = (values - mean) inverse; (values - bias) / scale if it has a bias.
template <typename T>
struct NormalizedRow {
    const T* values;
    const T* scale;
    const T* bias;  ///< or null
    T mean;
    T inverse;
    int64_t count;
};
/// Sums of dy scale and of dy scale x̂.
GradientTotals rowTotals(const float* dy, const NormalizedRow<float>& row);
/// dx = inverse (dy scale - meanB - x̂ meanC)
void rowGradient(const float* dy, const NormalizedRow<float>& row, float meanB, float meanC,
                 float* dx);
/// sums += dy x̂
void addRowProducts(const float* dy, const NormalizedRow<float>& row, float* sums);

}  // namespace temper::simd
