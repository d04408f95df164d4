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
/// Fainter pixels are not part of a stroke; a share of the range of the training values.
constexpr double kInkShare = 0.2;
constexpr double kUsualShare =
    0.9;  ///< share of the drawings that are no larger than the style says

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
    double outline = 0;               ///< its length
    double width = 0, height = 0;     ///< of its bounding box
    double middleX = 0, middleY = 0;  ///< of its bounding box
    double massX = 0, massY = 0;      ///< its centre
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
            result.massX += here * (static_cast<double>(x) + 0.5);
            result.massY += here * (static_cast<double>(y) + 0.5);
            result.outline += std::abs(here - ink(x - 1, y)) + std::abs(here - ink(x, y - 1));
            if (here < kInkShare) continue;
            left = std::min(left, x);
            right = std::max(right, x);
            top = std::min(top, y);
            bottom = std::max(bottom, y);
        }
    }
    result.outline *= std::numbers::pi / 4;
    result.width = static_cast<double>(right - left + 1);
    result.height = static_cast<double>(bottom - top + 1);
    result.middleX = static_cast<double>(left + right + 1) / 2;
    result.middleY = static_cast<double>(top + bottom + 1) / 2;
    result.massX /= result.area;
    result.massY /= result.area;
    return result;
}

struct Spread {
    double mean = 0;
    double variance = 0;
};

template <typename Value>
Spread spreadOf(const std::vector<Inked>& all, Value value) {
    Spread spread;
    const auto count = static_cast<double>(all.size());
    for (const Inked& inked : all) spread.mean += value(inked) / count;
    for (const Inked& inked : all)
        spread.variance += std::pow(value(inked) - spread.mean, 2) / count;
    return spread;
}

/// Sets the place of the drawings in pictures of this form.
void measurePlace(const std::vector<Inked>& all, const ImageForm& form, StrokeStyle& style) {
    const Spread middleX = spreadOf(all, [](const Inked& inked) { return inked.middleX; });
    const Spread middleY = spreadOf(all, [](const Inked& inked) { return inked.middleY; });
    const Spread massX = spreadOf(all, [](const Inked& inked) { return inked.massX; });
    const Spread massY = spreadOf(all, [](const Inked& inked) { return inked.massY; });
    style.isByMass = massX.variance + massY.variance <= middleX.variance + middleY.variance;
    const auto width = static_cast<double>(form.width), height = static_cast<double>(form.height);
    const double side = std::max(width, height);
    style.right = ((style.isByMass ? massX : middleX).mean - width / 2) / side;
    style.down = ((style.isByMass ? massY : middleY).mean - height / 2) / side;
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
        if (inked.outline > 0 && inked.width > 0) all.push_back(inked);
    }
    if (all.empty()) return style;
    const auto quantile = [&](double share, auto&& value) {
        std::vector<double> values;
        for (const Inked& inked : all) values.push_back(value(inked));
        std::sort(values.begin(), values.end());
        return values[static_cast<size_t>(share * static_cast<double>(values.size()))];
    };
    const auto side = static_cast<double>(std::max(form.width, form.height));
    style.width = quantile(kUsualShare, [](const Inked& inked) { return inked.width; }) / side;
    style.height = quantile(kUsualShare, [](const Inked& inked) { return inked.height; }) / side;
    style.thickness =
        quantile(0.5, [](const Inked& inked) { return 2 * inked.area / inked.outline; }) / side;
    measurePlace(all, form, style);
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

}  // namespace temper
