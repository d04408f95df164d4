// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// MaxPool over images in blocks of channels: [pixels, kChannelBlock].
namespace temper::simd {

/// Adjacent windows in a row of outputs, whose taps are all inside the image; positions count its
/// pixels.
struct PixelWindows {
    int64_t outputs = 0;
    int64_t first = 0;   ///< the first tap of the first window
    int64_t stride = 1;  ///< from window to window
    int64_t rows = 1;    ///< taps of a window: rows * columns
    int64_t columns = 1;
    int64_t rowStep = 1;     ///< from one row of taps to the next
    int64_t columnStep = 1;  ///< from one tap to the next in its row
};

/// How MaxPool counts the pixels of a block: channel c's are firstIndex + c * pixels and so on.
struct PixelIndices {
    int64_t firstIndex = 0;
    int64_t pixels = 0;  ///< of an image
};

/// y = the largest tap of each window and channel, indices = its index (unless null), the first of
/// several that are equal. A NaN tap is not larger than any other.
void maxOfPixels(const PixelWindows& windows, const PixelIndices& counting, const float* image,
                 float* y, int64_t* indices);

/// The inverse: each tap of the image = the gradient of its window if the index is the tap's, else
/// 0. Windows share no taps.
/// Returns: false if an index is none of its window's taps.
bool gradientsOfPixels(const PixelWindows& windows, const PixelIndices& counting, const float* dy,
                       const int64_t* indices, float* image);

}  // namespace temper::simd
