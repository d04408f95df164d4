// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/tensor_summary.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/project/problem.h"

namespace temper::ui {
namespace {

constexpr size_t kBins = 40;
constexpr int64_t kShownValues = 24;

bool hasNumbers(DType dtype) {
    return isInteger(dtype) || dtype == DType::Float32 || dtype == DType::Float64 ||
           dtype == DType::Bool;
}

void measure(TensorSummary& summary, const Tensor& tensor) {
    double sum = 0, squares = 0;
    summary.minimum = std::numeric_limits<double>::infinity();
    summary.maximum = -summary.minimum;
    visitDType(tensor.dtype(), [&]<typename T>() {
        for (const T raw : tensor.values<T>()) {
            const auto value = static_cast<double>(raw);
            if (!std::isfinite(value)) {
                ++summary.notFinite;
                continue;
            }
            if (value == 0) ++summary.zeros;
            sum += value;
            squares += value * value;
            summary.minimum = std::min(summary.minimum, value);
            summary.maximum = std::max(summary.maximum, value);
        }
    });
    const auto finite = static_cast<double>(summary.count - summary.notFinite);
    if (finite == 0) {
        summary.minimum = summary.maximum = 0;
        return;
    }
    summary.mean = sum / finite;
    summary.deviation = std::sqrt(std::max(0.0, squares / finite - summary.mean * summary.mean));
    summary.norm = std::sqrt(squares);
}

void fillHistogram(TensorSummary& summary, const Tensor& tensor) {
    const double size = summary.maximum - summary.minimum;
    if (size <= 0) return;
    summary.histogram.assign(kBins, 0);
    visitDType(tensor.dtype(), [&]<typename T>() {
        for (const T raw : tensor.values<T>()) {
            const auto value = static_cast<double>(raw);
            if (!std::isfinite(value)) continue;
            const double place = (value - summary.minimum) / size * kBins;
            ++summary.histogram[std::min(kBins - 1, static_cast<size_t>(place))];
        }
    });
}

}  // namespace

QString firstValues(const Tensor& tensor, int64_t count) {
    if (!hasNumbers(tensor.dtype())) return {};
    QStringList parts;
    visitDType(tensor.dtype(), [&]<typename T>() {
        for (const T value :
             tensor.values<T>().first(static_cast<size_t>(std::min(count, tensor.numElements()))))
            parts << QString::number(static_cast<double>(value), 'g', 5);
    });
    if (tensor.numElements() > count) parts << QStringLiteral("…");
    return parts.join(QStringLiteral(", "));
}

TensorSummary summarize(const QString& name, const Tensor& tensor) {
    TensorSummary summary;
    summary.name = name;
    summary.type = text(dtypeName(tensor.dtype())) + text(formatShape(tensor.shape()));
    summary.count = tensor.numElements();
    if (!hasNumbers(tensor.dtype()) || summary.count == 0) return summary;
    measure(summary, tensor);
    fillHistogram(summary, tensor);
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
