// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/input_scale.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>

#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

using Kind = InputScale::Kind;

constexpr double kLargestByte = 255;
const std::vector<double> kHalf{0.5};
const std::vector<double> kImageNetMean{0.485, 0.456, 0.406};
const std::vector<double> kImageNetDeviation{0.229, 0.224, 0.225};

std::vector<double> numbersIn(const DataOptions& options, const char* key) {
    const auto found = options.find(key);
    if (found == options.end()) return {};
    std::vector<double> numbers;
    for (const QString& each : text(found->second).split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        numbers.push_back(QLocale::c().toDouble(each, &isNumber));
        if (!isNumber) return {};
    }
    return numbers;
}

std::string optionText(const std::vector<double>& numbers) {
    QStringList texts;
    for (const double number : numbers)
        texts << QLocale::c().toString(number, 'g', QLocale::FloatingPointShortest);
    return texts.join(QLatin1Char(',')).toStdString();
}

/// As the engine decides which columns are in units of 0…1.
bool hasPixels(const Column& column) {
    return !column.isTarget && column.dtype == DType::UInt8 && column.shape.size() >= 2;
}

const Column* pictureOf(const LoadedData& data) {
    const auto& raw = data.opened.rawTraining ? data.opened.rawTraining : data.training();
    const auto found = std::ranges::find_if(raw->columns(), hasPixels);
    return found == raw->columns().end() ? nullptr : &*found;
}

/// 0 where the samples do not vary: such a column is only shifted.
double usableDeviation(double deviation) { return deviation > 0 ? deviation : 1; }

InputScale measuredScale(const LoadedData* data) {
    InputScale scale{Kind::Given, {0}, {1}};
    if (data == nullptr || data->opened.normalization.empty()) return scale;
    if (inputScaleIn(data->opened.spec.options, true).kind != Kind::Standard) return scale;
    const Normalization& by = data->opened.normalization.begin()->second;
    const double unit = hasPictures(*data) ? kLargestByte : 1;
    scale.mean.clear();
    scale.deviation.clear();
    for (const double mean : by.mean) scale.mean.push_back(mean / unit);
    for (const double deviation : by.deviation)
        scale.deviation.push_back(usableDeviation(deviation / unit));
    return scale;
}

}  // namespace

InputScale inputScaleIn(const DataOptions& options, bool arePictures) {
    InputScale scale{Kind::Given, numbersIn(options, "mean"), numbersIn(options, "std")};
    if (!scale.mean.empty() || !scale.deviation.empty()) {
        if (!arePictures) return scale;
        if (scale.mean == kHalf && scale.deviation == kHalf) return {Kind::FromMinusOne};
        const bool isImageNet =
            scale.mean == kImageNetMean && scale.deviation == kImageNetDeviation;
        return isImageNet ? InputScale{Kind::ImageNet} : scale;
    }
    const auto mode = options.find("normalize");
    if (mode == options.end()) return {};
    if (mode->second == "standard") return {Kind::Standard};
    return {mode->second == "none" ? Kind::Unchanged : Kind::Usual};
}

void setInputScale(DataOptions& options, const InputScale& scale) {
    for (const char* key : {"normalize", "mean", "std"}) options.erase(key);
    switch (scale.kind) {
        case Kind::Usual: return;
        case Kind::Standard: options["normalize"] = "standard"; return;
        case Kind::Unchanged: options["normalize"] = "none"; return;
        case Kind::FromMinusOne:
        case Kind::ImageNet:
        case Kind::Given: break;
    }
    InputScale given = givenScale(scale, nullptr);
    // One number stands for all columns; the options need as many of both.
    const size_t count = std::max(given.mean.size(), given.deviation.size());
    for (std::vector<double>* each : {&given.mean, &given.deviation})
        if (each->size() == 1) each->resize(count, each->front());
    if (!given.mean.empty()) options["mean"] = optionText(given.mean);
    if (!given.deviation.empty()) options["std"] = optionText(given.deviation);
}

InputScale givenScale(const InputScale& scale, const LoadedData* data) {
    switch (scale.kind) {
        case Kind::FromMinusOne: return {Kind::Given, kHalf, kHalf};
        case Kind::ImageNet: return {Kind::Given, kImageNetMean, kImageNetDeviation};
        case Kind::Standard: return measuredScale(data);
        case Kind::Given: return scale;
        case Kind::Usual:
        case Kind::Unchanged: break;
    }
    return {Kind::Given, {0}, {1}};
}

bool hasPictures(const LoadedData& data) { return pictureOf(data) != nullptr; }

bool hasColorPictures(const LoadedData& data) {
    const Column* column = pictureOf(data);
    if (column == nullptr || column->shape.size() != 3) return false;
    return column->shape.front() == 3 || column->shape.back() == 3;
}

}  // namespace temper::ui
