// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Loops of depthwise convolutions: each channel has a kernel of its own. Images are in blocks of
/// channels, so a pixel of a block is kChannelBlock adjacent floats. Sums are in the same order
/// with all instructions.
namespace temper::simd {

/// How a window moves along the columns of an image.
struct TapColumns {
    int64_t input = 0;    ///< columns of the image
    int64_t outputs = 0;  ///< places of the window
    int64_t taps = 0;     ///< 1, 2, 3 or 5
    int64_t stride = 1;   ///< 1, or 2 with 3 or 5 taps
    int64_t start = 0;    ///< column of tap 0 of output 0; negative for padding

    /// The outputs [begin, end) whose taps are all inside the image.
    struct Inside {
        int64_t begin = 0;
        int64_t end = 0;
    };
    Inside inside() const;
};

/// Rows of outputs: y[i, o] = bias + the sum of weights[r, k] x[i + r, start + o * stride + k].
struct TapRows {
    TapColumns columns;
    TapColumns::Inside inside;  ///< columns.inside()
    int64_t count = 0;          ///< of outputs
    int64_t taps = 0;           ///< of the window that are inside the image
    const float* x = nullptr;
    int64_t rowStrideX = 0;          ///< floats between the rows of x
    int64_t rowStepX = 0;            ///< between those of adjacent outputs
    const float* weights = nullptr;  ///< [taps, columns.taps, kChannelBlock]
    const float* bias = nullptr;     ///< kChannelBlock numbers, or null
    float* y = nullptr;
    int64_t rowStrideY = 0;
    int64_t columnStrideY = 0;
};
void sumTaps(const TapRows& rows);

/// sums[k] += the sum of x[r, start + o * stride + k] dy[r, o] over rows r and outputs o, for 3 or
/// 5 taps.
struct TapGradient {
    TapColumns columns;
    TapColumns::Inside inside;  ///< columns.inside()
    int64_t rows = 0;           ///< of outputs: those whose taps are inside the image
    const float* x = nullptr;
    int64_t rowStrideX = 0;
    const float* dy = nullptr;
    int64_t rowStrideDy = 0;
    float* sums = nullptr;  ///< [taps, kChannelBlock]
};
void addTapGradients(const TapGradient& gradient);

}  // namespace temper::simd
