// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/runtime/kernels/blockable_kernel.h"

/// Loops over the pixels of images in blocks of channels: [pixels, kChannelBlock]. They use the
/// widest vector instructions of the machine and add in the order of sumOver(), so each channel's
/// results are, bit for bit, those of a channel stored on its own.
namespace temper::simd {

using ChannelSums = std::array<double, kChannelBlock>;
using ChannelValues = std::array<float, kChannelBlock>;

inline void addTo(ChannelSums& totals, const ChannelSums& part) {
    for (size_t c = 0; c < totals.size(); ++c) totals[c] += part[c];
}

/// Sums of x.
ChannelSums sumsOfPixels(const float* x, int64_t pixels);
/// Sums of (x - mean)^2.
ChannelSums squaresOfPixels(const float* x, int64_t pixels, const ChannelValues& mean);

struct GradientSums {
    ChannelSums gradients;  ///< of dy
    ChannelSums products;   ///< of dy (x - mean)
};
GradientSums gradientSumsOfPixels(const float* dy, const float* x, int64_t pixels,
                                  const ChannelValues& mean);

/// y = (x - mean) factor + bias
struct Normalization {
    ChannelValues mean;
    ChannelValues factor;
    ChannelValues bias;
};
void normalizePixels(const float* x, float* y, int64_t pixels, const Normalization& by);

/// dx = factor (dy - shift - (x - mean) slope)
struct NormalizationGradient {
    ChannelValues mean;
    ChannelValues factor;
    ChannelValues shift;
    ChannelValues slope;
};
void normalizeGradients(const float* dy, const float* x, float* dx, int64_t pixels,
                        const NormalizationGradient& by);

/// y += bias
void addToPixels(const ChannelValues& bias, float* y, int64_t pixels);

}  // namespace temper::simd
