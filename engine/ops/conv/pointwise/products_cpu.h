// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Products of matrices with the pixels of images in blocks of channels. Each number is summed in
/// the order of the channels, or of the pixels, with all instructions.
namespace temper::simd {

/// y[p, j] = bias[j] + the sum of x[p, k] weights[k, j] over the channels k.
struct PixelProduct {
    int64_t pixels = 0;
    int64_t channels = 0;  ///< of x
    int64_t results = 0;   ///< channels of y; those up to the next block may be written, too
    const float* x = nullptr;
    int64_t blockStrideX = 0;        ///< floats between blocks of channels
    const float* weights = nullptr;  ///< [blocks of y, channels, kChannelBlock]
    const float* bias = nullptr;     ///< [blocks of y, kChannelBlock]
    float* y = nullptr;
    int64_t blockStrideY = 0;
};
void multiplyPixels(const PixelProduct& product);

/// sums[j, c] += the sum of dy[p, j] x[p, c] over the pixels p, for a block of channels of dy and
/// some of x.
struct PixelGradient {
    int64_t pixels = 0;
    int64_t channels = 0;  ///< of x; sums up to the next block may change, too
    int64_t rows = 0;      ///< channels of dy, likewise
    const float* x = nullptr;
    int64_t blockStrideX = 0;
    const float* dy = nullptr;
    float* sums = nullptr;  ///< [blocks of x, kChannelBlock, kChannelBlock]
};
void addPixelProducts(const PixelGradient& gradient);

}  // namespace temper::simd
