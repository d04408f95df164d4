// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper::simd {

/// Adjacent windows in a row of outputs, whose taps are all inside the image. Positions count the
/// image's elements in row-major order.
struct WindowRow {
    int64_t outputs = 0;
    int64_t first = 0;   ///< position of the first tap of the first window
    int64_t stride = 1;  ///< from window to window
    int64_t rows = 1;    ///< taps of a window: rows * columns
    int64_t columns = 1;
    int64_t rowStep = 1;     ///< from one row of taps to the next
    int64_t columnStep = 1;  ///< from one tap to the next in its row
};

/// y[o] = the largest tap of window o, places[o] = its position in the image (unless null); the
/// first tap of several that are equal. A NaN tap is not larger than any other.
/// Returns: false, without doing anything, if the windows are too few or too far apart to be worth
/// it.
bool maxOfWindows(const WindowRow& windows, const float* image, float* y, int64_t* places);

}  // namespace temper::simd
