// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace temper {

/// A picture of 8-bit values, rows from the top, channels of a pixel interleaved.
/// Shapes: pixels [height, width, channels]; one channel is grey, three are red, green, blue.
struct Image {
    int64_t width = 0;
    int64_t height = 0;
    int64_t channels = 0;
    std::vector<uint8_t> pixels;

    Image() = default;
    /// Black.
    Image(int64_t theWidth, int64_t theHeight, int64_t theChannels);

    uint8_t* row(int64_t y) { return pixels.data() + y * width * channels; }
    const uint8_t* row(int64_t y) const { return pixels.data() + y * width * channels; }
};

/// The picture with one or three channels. Grey is the luma of ITU-R BT.601, rounded as Pillow
/// does.
Image withChannels(Image image, int64_t channels);

/// How a picture is fitted to a size of another aspect ratio.
enum class ImageFit {
    Crop,     ///< its middle, as large as possible
    Stretch,  ///< all of it, distorted
    Pad,      ///< all of it, between black bars
};

/// The picture in another size: a triangle filter, widened when shrinking, so that no pixel is
/// skipped. Source: Pillow's BILINEAR, to within one grey level.
Image resized(const Image& image, int64_t width, int64_t height, ImageFit fit);

}  // namespace temper
