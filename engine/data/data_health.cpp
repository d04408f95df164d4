// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_health.h"

#include <algorithm>
#include <cmath>

#include "engine/core/process_memory.h"
#include "engine/data/column_look.h"
#include "engine/data/pieces.h"

namespace temper {
namespace {

/// Of columns too large to be checked completely.
constexpr size_t kLookedAtBytes = 256 << 20;
constexpr int64_t kScaledSamples = 2048;  // used to estimate the scale of features
constexpr double kLargestFeature = 30;

bool hasNumbers(const Column& column) {
    return isInteger(column.dtype) || column.dtype == DType::Float32 ||
           column.dtype == DType::Float64;
}

/// Judges features by their typical size, the root mean square: optimizers and initial weights are
/// made for about 1. Pictures and sequences are measured as a whole.
void checkScale(const Dataset& data, size_t index, std::vector<Finding>& findings) {
    const Column& column = data.columns()[index];
    const bool isTable = column.shape.size() == 1;
    const auto features = isTable ? static_cast<size_t>(column.elementsPerSample()) : size_t{1};
    std::vector<double> squares(features, 0.0);
    int64_t seen = 0;
    const int64_t stride = std::max<int64_t>(1, data.size() / kScaledSamples);
    const int64_t most = samplesPerPiece(column);
    for (int64_t begin = 0; begin < data.size(); begin += most * stride) {
        std::vector<int64_t> samples;
        for (int64_t i = begin; i < data.size() && std::ssize(samples) < most; i += stride)
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
        isTable && features > 1 ? ", " + nameOfElement(column, element) + " most of all" : "";
    findings.push_back(dataFinding(
        "D109", Severity::Info,
        "Column '" + column.name + "' holds numbers around " + std::to_string(std::llround(size)) +
            which + ".",
        "Models learn fastest from numbers around 1; normalize them unless the model does it."));
}

/// The stride between the pieces of a column that are checked.
int64_t lookedAtStride(const Dataset& data, size_t column, size_t mostWhole) {
    const auto samples = static_cast<size_t>(data.size());
    const size_t bytes = samples * data.columns()[column].bytesPerSample();
    if (bytes <= mostWhole) return 1;
    return static_cast<int64_t>(std::max<size_t>(bytes / std::min(kLookedAtBytes, mostWhole), 2));
}

ColumnLooks looksAt(const Dataset& data, size_t index) {
    const Column& column = data.columns()[index];
    ColumnLooks looks;
    if (!isInteger(column.dtype) && !column.isImage) looks.push_back(lookForFinite(data, index));
    if (!column.isTarget && column.shape.size() == 1) looks.push_back(lookForConstant(data, index));
    if (column.classes.empty() || !isInteger(column.dtype)) return looks;
    looks.push_back(lookForLabelRange(data, index));
    looks.push_back(lookForRareClasses(data, index));
    return looks;
}

/// Values in few pieces may be missed, and what never changes in these pieces may change elsewhere.
Finding partlyLookedAt(const Column& column, int64_t stride) {
    return dataFinding("D116", Severity::Info,
                       "Column '" + column.name + "' does not fit into memory: one in " +
                           std::to_string(stride) + " of its samples was checked.",
                       "invalid=drop checks all of them.");
}

void checkColumn(const Dataset& data, size_t index, size_t mostWhole,
                 std::vector<Finding>& findings) {
    const Column& column = data.columns()[index];
    const ColumnLooks looks = looksAt(data, index);
    const int64_t stride = lookedAtStride(data, index, mostWhole);
    if (!looks.empty()) {
        const auto show = [&looks](int64_t begin, const Tensor& piece) {
            for (const auto& look : looks) look->see(begin, piece);
        };
        forEachPiece(data, index, show, stride);
        if (stride > 1) findings.push_back(partlyLookedAt(column, stride));
    }
    for (const auto& look : looks) look->report(findings);
    if (!column.isTarget && !isInteger(column.dtype)) checkScale(data, index, findings);
}

}  // namespace

size_t mostLookedAtWhole() { return memoryLimit() / 2; }

std::vector<int64_t> countClasses(const Dataset& data, size_t column, size_t mostWhole) {
    std::vector<int64_t> counts(data.columns()[column].classes.size(), 0);
    const auto count = [&counts](int64_t, const Tensor& piece) { addClassCounts(piece, counts); };
    forEachPiece(data, column, count, lookedAtStride(data, column, mostWhole));
    return counts;
}

Finding dataFinding(const char* code, Severity severity, std::string message, std::string hint) {
    return {code, severity, {}, {}, std::move(message), std::move(hint), {}};
}

std::vector<Finding> checkData(const Dataset& data, size_t mostWhole) {
    std::vector<Finding> findings;
    if (data.size() == 0) {
        findings.push_back(dataFinding("D105", Severity::Error, "The data has no samples.", {}));
        return findings;
    }
    for (size_t i = 0; i < data.columns().size(); ++i) {
        const Column& column = data.columns()[i];
        if (hasNumbers(column) && column.elementsPerSample() > 0)
            checkColumn(data, i, mostWhole, findings);
    }
    return findings;
}

}  // namespace temper
