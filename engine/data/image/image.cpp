// SPDX-License-Identifier: Apache-2.0
#include "engine/data/image/image.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"

namespace temper {
namespace {

/// A part of a picture; edges are between pixels.
struct Box {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;
};

/// The source pixels that make one target pixel, and their weights, which sum to 1.
struct Taps {
    int64_t first = 0;
    std::vector<float> weights;
};

std::vector<Taps> tapsFor(double begin, double length, int64_t sourceSize, int64_t targetSize) {
    const double scale = length / static_cast<double>(targetSize);
    const double support = std::max(scale, 1.0);
    std::vector<Taps> all(static_cast<size_t>(targetSize));
    for (int64_t i = 0; i < targetSize; ++i) {
        const double center = begin + (static_cast<double>(i) + 0.5) * scale;
        const auto first = static_cast<int64_t>(std::floor(std::max(center - support + 0.5, 0.0)));
        const auto end =
            std::min(static_cast<int64_t>(std::floor(center + support + 0.5)), sourceSize);
        Taps& taps = all[static_cast<size_t>(i)];
        taps.first = first;
        double sum = 0;
        for (int64_t at = first; at < end; ++at) {
            const double distance = std::abs((static_cast<double>(at) + 0.5 - center) / support);
            taps.weights.push_back(static_cast<float>(std::max(1 - distance, 0.0)));
            sum += taps.weights.back();
        }
        for (float& weight : taps.weights) weight = static_cast<float>(weight / sum);
    }
    return all;
}

/// Shapes: the result is float [height, targets, channels].
std::vector<float> resizeRows(const Image& image, const std::vector<Taps>& taps) {
    const int64_t channels = image.channels;
    std::vector<float> result(static_cast<size_t>(image.height * channels) * taps.size());
    float* out = result.data();
    for (int64_t y = 0; y < image.height; ++y) {
        for (const Taps& tap : taps) {
            const uint8_t* pixel = image.row(y) + tap.first * channels;
            for (int64_t c = 0; c < channels; ++c) out[c] = 0;
            for (const float weight : tap.weights) {
                for (int64_t c = 0; c < channels; ++c) out[c] += weight * *pixel++;
            }
            out += channels;
        }
    }
    return result;
}

void resizeColumns(const std::vector<float>& rows, const std::vector<Taps>& taps, Image& target) {
    const int64_t perRow = target.width * target.channels;
    std::vector<float> sum(static_cast<size_t>(perRow));
    for (int64_t y = 0; y < target.height; ++y) {
        const Taps& tap = taps[static_cast<size_t>(y)];
        std::fill(sum.begin(), sum.end(), 0.0F);
        const float* source = rows.data() + tap.first * perRow;
        for (const float weight : tap.weights) {
            for (int64_t i = 0; i < perRow; ++i) sum[static_cast<size_t>(i)] += weight * *source++;
        }
        uint8_t* out = target.row(y);
        for (const float value : sum) {
            *out++ = static_cast<uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
        }
    }
}

/// Scales the part `box` of the picture to the target's size.
void resizeInto(const Image& image, const Box& box, Image& target) {
    const auto across = tapsFor(box.left, box.width, image.width, target.width);
    const auto down = tapsFor(box.top, box.height, image.height, target.height);
    resizeColumns(resizeRows(image, across), down, target);
}

/// The largest centred part with the aspect ratio width : height.
Box middleOf(const Image& image, int64_t width, int64_t height) {
    const auto w = static_cast<double>(image.width);
    const auto h = static_cast<double>(image.height);
    const double scale = std::min(w / static_cast<double>(width), h / static_cast<double>(height));
    Box box{0, 0, scale * static_cast<double>(width), scale * static_cast<double>(height)};
    box.left = (w - box.width) / 2;
    box.top = (h - box.height) / 2;
    return box;
}

Box wholeOf(const Image& image) {
    return {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)};
}

Image padded(const Image& image, int64_t width, int64_t height) {
    const double scale = std::min(static_cast<double>(width) / static_cast<double>(image.width),
                                  static_cast<double>(height) / static_cast<double>(image.height));
    const auto scaledSize = [scale](int64_t size, int64_t most) {
        return std::clamp<int64_t>(std::llround(static_cast<double>(size) * scale), 1, most);
    };
    Image inner(scaledSize(image.width, width), scaledSize(image.height, height), image.channels);
    resizeInto(image, wholeOf(image), inner);
    Image result(width, height, image.channels);
    const int64_t left = (width - inner.width) / 2;
    const int64_t top = (height - inner.height) / 2;
    for (int64_t y = 0; y < inner.height; ++y) {
        std::copy_n(inner.row(y), inner.width * inner.channels,
                    result.row(top + y) + left * result.channels);
    }
    return result;
}

Image greyOf(const Image& image) {
    Image grey(image.width, image.height, 1);
    const uint8_t* pixel = image.pixels.data();
    for (uint8_t& value : grey.pixels) {
        value = static_cast<uint8_t>(
            (19595U * pixel[0] + 38470U * pixel[1] + 7471U * pixel[2] + 0x8000U) >> 16);
        pixel += 3;
    }
    return grey;
}

Image colouredOf(const Image& image) {
    Image coloured(image.width, image.height, 3);
    uint8_t* out = coloured.pixels.data();
    for (const uint8_t value : image.pixels) {
        for (int c = 0; c < 3; ++c) *out++ = value;
    }
    return coloured;
}

}  // namespace

Image::Image(int64_t theWidth, int64_t theHeight, int64_t theChannels)
    : width(theWidth),
      height(theHeight),
      channels(theChannels),
      pixels(static_cast<size_t>(theWidth * theHeight * theChannels), 0) {}

Image withChannels(Image image, int64_t channels) {
    TEMPER_ASSERT(channels == 1 || channels == 3, "pictures are grey or coloured");
    if (image.channels == channels) return image;
    return channels == 1 ? greyOf(image) : colouredOf(image);
}

Image resized(const Image& image, int64_t width, int64_t height, ImageFit fit) {
    if (image.width == width && image.height == height) return image;
    if (fit == ImageFit::Pad) return padded(image, width, height);
    Image result(width, height, image.channels);
    const bool crops = fit == ImageFit::Crop;
    resizeInto(image, crops ? middleOf(image, width, height) : wholeOf(image), result);
    return result;
}

}  // namespace temper
