// SPDX-License-Identifier: Apache-2.0
#include "engine/data/picture_sample.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace temper {
namespace {

constexpr int64_t kLookedAt = 64;  ///< samples that determine the range of the values
constexpr double kByteRange = 255;
constexpr int kInk = 24;           ///< fainter pixels are not part of a stroke
constexpr double kInkShare = 0.2;  ///< the same, as a share of the range of the training values

struct Range {
    double low = 0;
    double high = 1;
    double mean = 0;
};

/// The first samples, without unreadable ones.
std::vector<int64_t> firstSamples(const Dataset& data) {
    std::vector<int64_t> samples;
    for (int64_t i = 0; i < std::min(kLookedAt, data.size()); ++i) {
        if (data.problem(i, true).empty()) samples.push_back(i);
    }
    return samples;
}

/// Of the first samples, as they were read.
Range rangeOf(const Dataset& data, size_t column) {
    const std::vector<int64_t> samples = firstSamples(data);
    const Tensor values = data.batch(column, samples).cast(DType::Float64);
    const std::span<const double> all = values.values<double>();
    if (all.empty()) return {};
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    return {*low, *high, sum / static_cast<double>(all.size())};
}

Range sourceRange(const OpenedData& data, size_t column) {
    const Dataset& raw = data.rawTraining ? *data.rawTraining : *data.training;
    if (raw.columns()[column].dtype == DType::UInt8) return {0, kByteRange, kByteRange / 2};
    return rangeOf(raw, column);
}

/// [height, width, channels] of a column of either layout.
ImageForm formOf(const Column& column) {
    const Shape& shape = column.shape;
    if (shape.size() == 2) return {1, shape[0], shape[1], false};
    if (shape.size() == 3 && (shape[0] == 1 || shape[0] == 3)) {
        return {shape[0], shape[1], shape[2], false};
    }
    if (shape.size() == 3 && (shape[2] == 1 || shape[2] == 3)) {
        return {shape[2], shape[0], shape[1], true};
    }
    throw Error(ErrorCode::InvalidInput,
                "Column '" + column.name + "' of shape " + formatShape(shape) +
                    " does not contain pictures; expected [C, H, W] with one or three channels.");
}

/// What is drawn in a picture, in pixels.
struct Inked {
    double area = 0;
    double outline = 0;  ///< its length
    double extent = 0;   ///< longer side of its bounding box
};

/// Total variation counts |dx| + |dy|: 4 / pi times the length of an outline in any direction.
Inked inkOf(const Tensor& sample, const ImageForm& form, const Range& range, bool isDark) {
    const Tensor wide = sample.cast(DType::Float64);
    const std::span<const double> values = wide.values<double>();
    const double scale = range.high > range.low ? 1 / (range.high - range.low) : 0;
    const auto ink = [&](int64_t x, int64_t y) {
        if (x < 0 || y < 0 || x >= form.width || y >= form.height) return 0.0;
        const double share = (values[static_cast<size_t>(y * form.width + x)] - range.low) * scale;
        return isDark ? 1 - share : share;
    };
    Inked result;
    int64_t left = form.width, right = -1, top = form.height, bottom = -1;
    for (int64_t y = 0; y <= form.height; ++y) {
        for (int64_t x = 0; x <= form.width; ++x) {
            const double here = ink(x, y);
            result.area += here;
            result.outline += std::abs(here - ink(x - 1, y)) + std::abs(here - ink(x, y - 1));
            if (here < kInkShare) continue;
            left = std::min(left, x);
            right = std::max(right, x);
            top = std::min(top, y);
            bottom = std::max(bottom, y);
        }
    }
    result.outline *= std::numbers::pi / 4;
    result.extent = static_cast<double>(std::max(right - left, bottom - top) + 1);
    return result;
}

double normalizedValue(double value, const Normalization* by, size_t channel, size_t channels) {
    if (by == nullptr) return value;
    const size_t part = by->mean.size() == channels ? channel : 0;
    return (value - by->mean[part]) / by->deviation[part];
}

}  // namespace

StrokeStyle strokeStyleOf(const OpenedData& data, size_t column) {
    const Dataset& raw = data.rawTraining ? *data.rawTraining : *data.training;
    const ImageForm form = formOf(raw.columns()[column]);
    const Range range = rangeOf(raw, column);
    StrokeStyle style;
    style.isDarkOnLight = range.mean > (range.low + range.high) / 2;
    std::vector<Inked> all;
    for (const int64_t i : firstSamples(raw)) {
        const Inked inked = inkOf(raw.get(i, column), form, range, style.isDarkOnLight);
        if (inked.outline > 0) all.push_back(inked);
    }
    if (all.empty()) return style;
    const auto median = [&](auto&& value) {
        std::vector<double> values;
        for (const Inked& inked : all) values.push_back(value(inked));
        std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
        return values[values.size() / 2];
    };
    const auto side = static_cast<double>(std::max(form.width, form.height));
    style.size = median([](const Inked& inked) { return inked.extent; }) / side;
    style.thickness =
        median([](const Inked& inked) { return 2 * inked.area / inked.outline; }) / side;
    return style;
}

Tensor pictureAsSample(const Image& picture, const OpenedData& data, size_t column, ImageFit fit) {
    const Column& info = data.training->columns()[column];
    const ImageForm form = formOf(info);
    const Image image = resized(withChannels(picture, form.channels), form.width, form.height, fit);
    const Range range = sourceRange(data, column);
    const auto found = data.normalization.find(info.name);
    const Normalization* by = found == data.normalization.end() ? nullptr : &found->second;
    Shape shape = info.shape;
    shape.insert(shape.begin(), 1);
    Tensor sample(DType::Float32, std::move(shape));
    const auto channels = static_cast<size_t>(form.channels);
    const auto pixels = static_cast<size_t>(form.height * form.width);
    for (size_t i = 0; i < pixels; ++i) {
        for (size_t c = 0; c < channels; ++c) {
            const double share = image.pixels[i * channels + c] / kByteRange;
            const double value = range.low + share * (range.high - range.low);
            const size_t at = form.channelsLast ? i * channels + c : c * pixels + i;
            sample.mutableValues<float>()[at] =
                static_cast<float>(normalizedValue(value, by, c, channels));
        }
    }
    return sample;
}

Image centred(const Image& strokes, double size) {
    const Image grey = withChannels(strokes, 1);
    int64_t left = grey.width, right = -1, top = grey.height, bottom = -1;
    for (int64_t y = 0; y < grey.height; ++y) {
        for (int64_t x = 0; x < grey.width; ++x) {
            if (grey.row(y)[x] < kInk) continue;
            left = std::min(left, x);
            right = std::max(right, x);
            top = std::min(top, y);
            bottom = y;
        }
    }
    if (right < 0) return {};
    Image cut(right - left + 1, bottom - top + 1, 1);
    double mass = 0, sumX = 0, sumY = 0;
    for (int64_t y = 0; y < cut.height; ++y) {
        for (int64_t x = 0; x < cut.width; ++x) {
            const uint8_t value = grey.row(top + y)[left + x];
            cut.row(y)[x] = value;
            mass += value;
            sumX += value * (static_cast<double>(x) + 0.5);
            sumY += value * (static_cast<double>(y) + 0.5);
        }
    }
    const int64_t side = std::max<int64_t>(std::max(grey.width, grey.height), 1);
    const double scale = std::clamp(size, 0.05, 1.0) * static_cast<double>(side) /
                         static_cast<double>(std::max(cut.width, cut.height));
    const auto scaledSize = [&](int64_t length) {
        return std::max<int64_t>(std::llround(static_cast<double>(length) * scale), 1);
    };
    const Image drawn =
        resized(cut, scaledSize(cut.width), scaledSize(cut.height), ImageFit::Stretch);
    const double half = static_cast<double>(side) / 2;
    const auto shift = [&](double center, int64_t length) {
        const int64_t wanted = std::llround(half - center / mass * scale);
        return std::clamp<int64_t>(wanted, 0, std::max<int64_t>(side - length, 0));
    };
    const int64_t shiftX = shift(sumX, drawn.width);
    const int64_t shiftY = shift(sumY, drawn.height);
    Image result(side, side, 1);
    for (int64_t y = 0; y < drawn.height; ++y) {
        for (int64_t x = 0; x < drawn.width; ++x) {
            const int64_t toX = x + shiftX;
            const int64_t toY = y + shiftY;
            if (toX < 0 || toY < 0 || toX >= side || toY >= side) continue;
            result.row(toY)[toX] = drawn.row(y)[x];
        }
    }
    return result;
}

}  // namespace temper
