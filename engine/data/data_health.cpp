// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_health.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>

#include "engine/core/counted.h"

namespace temper {
namespace {

constexpr int64_t kBatch = 256;
constexpr size_t kMaxNames = 5;
constexpr int64_t kScaledSamples = 2048;  // that the size of features is told from
constexpr double kLargestFeature = 30;
constexpr int64_t kRareShare = 20;  // a class is rare below 1/20 of the average class

/// Calls f(first sample, values) for the column's samples in pieces; other types are passed over.
template <typename F>
void forEachPiece(const Dataset& data, size_t column, F&& f) {
    for (int64_t begin = 0; begin < data.size(); begin += kBatch) {
        std::vector<int64_t> samples(static_cast<size_t>(std::min(kBatch, data.size() - begin)));
        std::iota(samples.begin(), samples.end(), begin);
        const Tensor piece = data.batch(column, samples);
        f(begin, piece);
    }
}

bool hasNumbers(const Column& column) {
    return isInteger(column.dtype) || column.dtype == DType::Float32 ||
           column.dtype == DType::Float64;
}

std::string elementName(const Column& column, size_t element) {
    if (element < column.elements.size()) return "'" + column.elements[element] + "'";
    return std::to_string(element);
}

/// "'a', 'b', ... (12 in all)"
std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) {
        text += (i > 0 ? ", " : "") + names[i];
    }
    if (names.size() > kMaxNames) text += ", ... (" + std::to_string(names.size()) + " in all)";
    return text;
}

void checkFinite(const Dataset& data, size_t index, std::vector<Finding>& findings) {
    const Column& column = data.columns()[index];
    const auto perSample = static_cast<size_t>(column.elementsPerSample());
    int64_t count = 0;
    std::string first;
    forEachPiece(data, index, [&](int64_t begin, const Tensor& piece) {
        visitDType(piece.dtype(), [&]<typename T>() {
            const std::span<const T> values = piece.values<T>();
            for (size_t i = 0; i < values.size(); ++i) {
                if (std::isfinite(static_cast<double>(values[i]))) continue;
                if (count++ > 0) continue;
                first = nameOfSample(data, begin + static_cast<int64_t>(i / perSample));
                if (perSample > 1) first += ", " + elementName(column, i % perSample);
            }
        });
    });
    if (count == 0) return;
    findings.push_back(dataFinding(
        "D101", Severity::Error,
        "Column '" + column.name + "' holds " +
            (count == 1 ? "a NaN or infinite value, in "
                        : std::to_string(count) + " NaN or infinite values, the first one in ") +
            first + ".",
        "Training stops at the first of them; invalid=drop leaves these samples out."));
}

void checkConstant(const Dataset& data, size_t index, std::vector<Finding>& findings) {
    const Column& column = data.columns()[index];
    const auto perSample = static_cast<size_t>(column.elementsPerSample());
    std::vector<double> first;
    std::vector<bool> changes(perSample, false);
    forEachPiece(data, index, [&](int64_t, const Tensor& piece) {
        visitDType(piece.dtype(), [&]<typename T>() {
            const std::span<const T> values = piece.values<T>();
            if (first.empty())
                first.assign(values.begin(),
                             values.begin() + static_cast<std::ptrdiff_t>(perSample));
            for (size_t i = 0; i < values.size(); ++i) {
                if (static_cast<double>(values[i]) != first[i % perSample]) {
                    changes[i % perSample] = true;
                }
            }
        });
    });
    std::vector<std::string> constant;
    for (size_t i = 0; i < perSample; ++i) {
        if (!changes[i]) constant.push_back(elementName(column, i));
    }
    if (constant.empty()) return;
    findings.push_back(dataFinding(
        "D102", Severity::Info,
        "In column '" + column.name + "' these values never change: " + listed(constant) + ".",
        "They tell a model nothing; they may be left out."));
}

/// Features by their typical size, the root of their mean square: optimizers and initial weights
/// are made for about 1. Of pictures and sequences all numbers count together.
void checkScale(const Dataset& data, size_t index, std::vector<Finding>& findings) {
    const Column& column = data.columns()[index];
    const bool isTable = column.shape.size() == 1;
    const auto features = isTable ? static_cast<size_t>(column.elementsPerSample()) : size_t{1};
    std::vector<double> squares(features, 0.0);
    int64_t seen = 0;
    const int64_t stride = std::max<int64_t>(1, data.size() / kScaledSamples);
    for (int64_t begin = 0; begin < data.size(); begin += kBatch * stride) {
        std::vector<int64_t> samples;
        for (int64_t i = begin; i < data.size() && std::ssize(samples) < kBatch; i += stride)
            samples.push_back(i);
        const Tensor piece = data.batch(index, samples);
        seen += piece.numElements() / static_cast<int64_t>(features);
        visitDType(piece.dtype(), [&]<typename T>() {
            const std::span<const T> values = piece.values<T>();
            for (size_t i = 0; i < values.size(); ++i) {
                const auto value = static_cast<double>(values[i]);
                if (std::isfinite(value)) squares[i % features] += value * value;
            }
        });
    }
    const auto largest = std::ranges::max_element(squares);
    const double size = std::sqrt(*largest / static_cast<double>(std::max<int64_t>(1, seen)));
    if (size <= kLargestFeature) return;
    const auto element = static_cast<size_t>(largest - squares.begin());
    const std::string which =
        isTable && features > 1 ? ", " + elementName(column, element) + " most of all" : "";
    findings.push_back(dataFinding(
        "D109", Severity::Info,
        "Column '" + column.name + "' holds numbers of about " +
            std::to_string(std::llround(size)) + which + ".",
        "Models learn fastest from numbers of about 1; normalise them, unless the model does."));
}

void checkLabelRange(const Dataset& data, size_t index, std::vector<Finding>& findings) {
    const Column& column = data.columns()[index];
    const auto classes = static_cast<int64_t>(column.classes.size());
    const auto perSample = static_cast<size_t>(column.elementsPerSample());
    int64_t count = 0;
    std::string example;
    forEachPiece(data, index, [&](int64_t begin, const Tensor& piece) {
        visitDType(piece.dtype(), [&]<typename T>() {
            const std::span<const T> values = piece.values<T>();
            for (size_t i = 0; i < values.size(); ++i) {
                const auto label = static_cast<int64_t>(values[i]);
                if ((label >= 0 && label < classes) || count++ > 0) continue;
                const int64_t sample = begin + static_cast<int64_t>(i / perSample);
                example = std::to_string(label) + " in " + nameOfSample(data, sample);
            }
        });
    });
    if (count == 0) return;
    const bool isOne = count == 1;
    findings.push_back(dataFinding(
        "D104", Severity::Error,
        (isOne ? "A label of column '" : counted(count, "label") + " of column '") + column.name +
            "', " + (isOne ? "" : "e.g. ") + example +
            (isOne ? ", is none of its " : ", are none of its ") +
            counted(classes, "class", "classes") + ".",
        "Check the labels, or the names given with classes=; invalid=drop leaves these samples "
        "out."));
}

void checkClassCounts(const Dataset& data, size_t index, std::vector<Finding>& findings) {
    const Column& column = data.columns()[index];
    const std::vector<int64_t> counts = countClasses(data, index);
    const auto classes = static_cast<int64_t>(counts.size());
    std::vector<std::string> rare;
    for (size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] * kRareShare * classes >= data.size() && counts[i] > 0) continue;
        rare.push_back("'" + column.classes[i] + "': " + std::to_string(counts[i]));
    }
    if (rare.empty()) return;
    findings.push_back(dataFinding(
        "D103", Severity::Warning,
        "Few samples show some classes of column '" + column.name + "': " + listed(rare) + ".",
        "A model learns rare classes badly; add samples of them."));
}

}  // namespace

std::vector<int64_t> countClasses(const Dataset& data, size_t column) {
    std::vector<int64_t> counts(data.columns()[column].classes.size(), 0);
    forEachPiece(data, column, [&](int64_t, const Tensor& piece) {
        visitDType(piece.dtype(), [&]<typename T>() {
            for (const T value : piece.values<T>()) {
                const auto label = static_cast<int64_t>(value);
                if (label >= 0 && label < static_cast<int64_t>(counts.size())) {
                    ++counts[static_cast<size_t>(label)];
                }
            }
        });
    });
    return counts;
}

Finding dataFinding(const char* code, Severity severity, std::string message, std::string hint) {
    return {code, severity, {}, {}, std::move(message), std::move(hint), {}};
}

std::vector<Finding> checkData(const Dataset& data) {
    std::vector<Finding> findings;
    if (data.size() == 0) {
        findings.push_back(dataFinding("D105", Severity::Error, "The data has no samples.", {}));
        return findings;
    }
    for (size_t i = 0; i < data.columns().size(); ++i) {
        const Column& column = data.columns()[i];
        if (!hasNumbers(column) || column.elementsPerSample() == 0) continue;
        if (!isInteger(column.dtype) && !column.isImage) checkFinite(data, i, findings);
        if (!column.isTarget && column.shape.size() == 1) checkConstant(data, i, findings);
        if (!column.isTarget && !isInteger(column.dtype)) checkScale(data, i, findings);
        if (column.classes.empty() || !isInteger(column.dtype)) continue;
        checkLabelRange(data, i, findings);
        checkClassCounts(data, i, findings);
    }
    return findings;
}

}  // namespace temper
