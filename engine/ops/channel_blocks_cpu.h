// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/core/thread_pool.h"
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
/// y = x factors, 16 numbers; y may be x.
void scalePixels(const float* x, const float* factors, float* y, int64_t pixels);
/// y = values, 16 numbers
void fillPixels(const float* values, float* y, int64_t pixels);

/// Images [N, C, H, W] in blocks of channels, cut into strips of pixels of a block.
class PixelStrips {
public:
    explicit PixelStrips(const Shape& images)
        : blocks_(images[1] / kChannelBlock),
          planes_(images[0] * blocks_),
          pixels_(images[2] * images[3]),
          strips_((pixels_ + kPixels - 1) / kPixels) {}

    /// Calls f(image, block, first element, pixels) for each strip, with blocks counted from the
    /// first of the image.
    template <typename F>
    void forEach(ThreadPool& pool, F&& f) const {
        const int64_t grain = 1 + kPixels * strips_ / pixels_;
        pool.forRanges(planes_ * strips_, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t plane = i / strips_, strip = i % strips_;
                const int64_t first = pixels_ * strip / strips_;
                f(plane / blocks_, plane % blocks_, (plane * pixels_ + first) * kChannelBlock,
                  pixels_ * (strip + 1) / strips_ - first);
            }
        });
    }

private:
    static constexpr int64_t kPixels = 1024;  ///< of a strip, at most; they are worth a thread

    int64_t blocks_;
    int64_t planes_;
    int64_t pixels_;
    int64_t strips_;  ///< of a plane
};

}  // namespace temper::simd
