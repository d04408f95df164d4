// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Loops over float arrays that use the widest vector instructions of the machine. Outputs may be
/// the inputs. Results do not depend on the alignment or on the position in the array.
namespace temper::simd {

// y[i] = f(x[i]); maximal error a few units in the last place, special values as in <cmath>.
void exp(const float* x, float* y, int64_t count);
void log(const float* x, float* y, int64_t count);
void tanh(const float* x, float* y, int64_t count);
void sigmoid(const float* x, float* y, int64_t count);
void erf(const float* x, float* y, int64_t count);
void sqrt(const float* x, float* y, int64_t count);

/// An operand of a loop: an array, or one number for all elements.
struct Operand {
    const float* data;
    bool isNumber = false;
};

// out[i] = a[i] op b[i]
void add(Operand a, Operand b, float* out, int64_t count);
void subtract(Operand a, Operand b, float* out, int64_t count);
void multiply(Operand a, Operand b, float* out, int64_t count);
void divide(Operand a, Operand b, float* out, int64_t count);

/// y[i] = x[i] * factor
void scale(const float* x, float factor, float* y, int64_t count);
/// y[i] = value
void fill(float value, float* y, int64_t count);
/// y[i] = exp(x[i]) * factor[i], the exponential as exp() gives it
void expTimes(const float* x, Operand factor, float* y, int64_t count);
/// y[i] = (x[i] - a[i]) - b[i]; a and b are both arrays or both numbers.
void subtractTwice(const float* x, Operand a, Operand b, float* y, int64_t count);
/// maxima[i] becomes x[i] if that is larger or NaN, unless it is NaN itself.
void raise(const float* x, float* maxima, int64_t count);
/// y[i] = x[i], but at least low and at most high; NaN stays.
void clamp(const float* x, float low, float high, float* y, int64_t count);
enum class Comparison { Equal, Less, LessOrEqual, Greater, GreaterOrEqual };
/// y[i] = a[i] compares so with b[i]
void compare(Comparison comparison, Operand a, Operand b, bool* y, int64_t count);
/// y[i] = condition[i] ? yes[i] : no[i], whatever the bits of the numbers mean
void select(const bool* condition, Operand yes, Operand no, float* y, int64_t count);
/// y[i] = x[i] is neither below low nor above high; true for NaN.
void isWithin(const float* x, float low, float high, bool* y, int64_t count);
/// y[i] = x[i] * factor where the mask is true, else 0
void scaleWhere(const bool* mask, const float* x, float factor, float* y, int64_t count);
/// y[i] += x[i] * factor
void addScaled(const float* x, float factor, float* y, int64_t count);
/// sums[j] += x[r * stride + j] for each row r in turn.
void addRows(const float* x, int64_t rows, int64_t stride, float* sums, int64_t count);
void addRows(const float* x, int64_t rows, int64_t stride, double* sums, int64_t count);

// Sums in float over short blocks, the blocks in double; a fixed order.
double sum(const float* x, int64_t count);
double sumOfSquares(const float* x, int64_t count);
/// sumOver() of an array: the same bits with all instructions.
double sumInLanes(const float* x, int64_t count);
double sumInLanes(const double* x, int64_t count);
double dot(const float* a, const float* b, int64_t count);
/// -infinity for an empty array; NaN if it holds one.
float maximum(const float* x, int64_t count);
/// y[i] = exp(x[i] - maximum), no x above it; returns their sum. Below exp(-87.3): 0.
double expAndSum(const float* x, float maximum, float* y, int64_t count);
/// Sum of exp(x[i] - maximum), no x above it.
double sumOfExp(const float* x, float maximum, int64_t count);

}  // namespace temper::simd
