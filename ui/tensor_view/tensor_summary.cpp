// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/tensor_summary.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/data/tensor_numbers.h"
#include "engine/data/tensor_statistics.h"
#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

constexpr size_t kBins = 40;
constexpr int64_t kShownValues = 24;

}  // namespace

QString firstValues(const Tensor& tensor, int64_t count) {
    if (!hasNumbers(tensor.dtype())) return {};
    QStringList parts;
    for (int64_t i = 0; i < std::min(count, tensor.numElements()); ++i)
        parts << QString::number(numberAt(tensor, i), 'g', 5);
    if (tensor.numElements() > count) parts << QStringLiteral("…");
    return parts.join(QStringLiteral(", "));
}

TensorSummary summarize(const QString& name, const Tensor& tensor, const std::stop_token& stop) {
    const TensorStatistics of = measureTensor(tensor, stop, nullptr, kBins);
    TensorSummary summary;
    summary.name = name;
    summary.type = text(dtypeName(tensor.dtype())) + text(formatShape(tensor.shape()));
    summary.count = of.count;
    summary.minimum = of.minimum;
    summary.maximum = of.maximum;
    summary.mean = of.mean;
    summary.deviation = of.deviation;
    summary.norm = of.norm;
    summary.zeros = of.zeros;
    summary.notFinite = of.notFinite();
    summary.histogram = of.histogram;
    summary.values = firstValues(tensor, kShownValues);
    return summary;
}

QImage sampleImage(const Tensor& batch, int64_t sample) {
    if (!hasNumbers(batch.dtype()) || batch.rank() < 3 || batch.rank() > 4) return {};
    const Shape& shape = batch.shape();
    constexpr int64_t kSmallest = 4, kLargest = 1024;
    const bool last = batch.rank() == 4 && shape[1] > 3 && (shape[3] == 1 || shape[3] == 3);
    const size_t first = batch.rank() == 3 || last ? 1 : 2;
    const int64_t height = shape[first], width = shape[first + 1];
    const int64_t channels = batch.rank() == 3 ? 1 : last ? shape[3] : shape[1];
    if ((channels != 1 && channels != 3) || std::min(height, width) < kSmallest ||
        std::max(height, width) > kLargest || sample >= shape[0])
        return {};
    std::vector<double> values;
    const auto size = static_cast<size_t>(channels * height * width);
    visitDType(batch.dtype(), [&]<typename T>() {
        for (const T value : batch.values<T>().subspan(static_cast<size_t>(sample) * size, size))
            values.push_back(static_cast<double>(value));
    });
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double base = *low, scale = *high > *low ? 255 / (*high - *low) : 0;
    const auto level = [&](int64_t channel, int64_t y, int64_t x) {
        const int64_t at =
            last ? (y * width + x) * channels + channel : (channel * height + y) * width + x;
        const double value = values[static_cast<size_t>(at)];
        return std::isfinite(value) ? static_cast<int>((value - base) * scale) : 0;
    };
    QImage image(static_cast<int>(width), static_cast<int>(height), QImage::Format_RGB32);
    for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x)
            image.setPixel(
                static_cast<int>(x), static_cast<int>(y),
                qRgb(level(0, y, x), level(channels / 2, y, x), level(channels - 1, y, x)));
    return image;
}

}  // namespace temper::ui
