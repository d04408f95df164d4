// SPDX-License-Identifier: Apache-2.0
#include "engine/data/open_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/data/csv_table.h"
#include "engine/data/data_formats.h"

namespace temper {
namespace {

constexpr double kByteRange = 255;
constexpr int64_t kMaxChannels = 4;

using DatasetPtr = std::shared_ptr<const Dataset>;

DatasetPtr limited(DatasetPtr data, int64_t limit) {
    if (data == nullptr || data->size() <= limit) return data;
    std::vector<int64_t> first(static_cast<size_t>(limit));
    std::iota(first.begin(), first.end(), 0);
    return subset(std::move(data), std::move(first));
}

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

/// Reads the source and cuts it as `split`, `seed` and `limit` say.
DataParts openParts(const DataSpec& spec, const FileResolver& resolver, const DataParts* same) {
    DataParts parts = readParts(spec, resolver, same);
    if (const std::optional<double> fraction = spec.number("split")) {
        const int64_t seed = spec.integer("seed", 0).value_or(0);
        DataSplit split = splitDataset(parts.training, *fraction, static_cast<uint64_t>(seed));
        parts.training = std::move(split.training);
        parts.evaluation = std::move(split.evaluation);
        parts.evaluationOrigin =
            percent(1 - *fraction) + " of the samples, drawn with seed " + std::to_string(seed);
    }
    if (const std::optional<int64_t> limit = spec.integer("limit", 1)) {
        parts.training = limited(std::move(parts.training), *limit);
        parts.evaluation = limited(std::move(parts.evaluation), *limit);
    }
    return parts;
}

/// The evaluation samples of `parts` from another source.
void takeEvaluation(DataParts& parts, const DataSpec& spec, const FileResolver& resolver) {
    DataParts other = openParts(spec, resolver, &parts);
    parts.evaluation = other.evaluation ? other.evaluation : other.training;
    parts.evaluationOrigin = spec.path;
    std::move(other.findings.begin(), other.findings.end(), std::back_inserter(parts.findings));
}

/// The same reader and options for the file that `test=` names, without cutting it.
DataSpec testSpecOf(const DataSpec& spec) {
    DataSpec test = spec;
    test.path = spec.options.at("test");
    for (const char* key : {"test", "split", "seed"}) test.options.erase(key);
    return test;
}

void checkSameColumns(const DataParts& parts) {
    if (parts.evaluation == nullptr) return;
    for (const Column& column : parts.training->columns()) {
        const std::optional<size_t> index = parts.evaluation->findColumn(column.name);
        const std::string shape =
            index ? formatShape(parts.evaluation->columns()[*index].shape) : "no such column";
        if (index && parts.evaluation->columns()[*index].shape == column.shape) continue;
        throw Error(ErrorCode::InvalidInput, "The evaluation samples (" + parts.evaluationOrigin +
                                                 ") have " + shape + " for column '" + column.name +
                                                 "'; the training samples have " +
                                                 formatShape(column.shape) + ".");
    }
}

DatasetPtr renamedClasses(DatasetPtr data, const Column& like) {
    if (data == nullptr) return data;
    const size_t index = data->columnIndex(like.name);
    if (data->columns()[index].classes == like.classes) return data;
    return withClasses(std::move(data), index, like.classes);
}

/// `classes=`, and the classes of the training samples for the evaluation samples.
void unifyClasses(DataParts& parts, const DataSpec& spec) {
    const std::vector<std::string> given = spec.list("classes");
    for (Column column : std::vector<Column>(parts.training->columns())) {
        if (!column.isTarget) continue;
        if (!given.empty()) column.classes = given;
        parts.training = renamedClasses(std::move(parts.training), column);
        parts.evaluation = renamedClasses(std::move(parts.evaluation), column);
    }
}

bool isImage(const Column& column) {
    return column.dtype == DType::UInt8 && column.shape.size() >= 2;
}

/// Table columns and the channels of [C, H, W] are measured one by one.
int64_t partsOf(const Column& column) {
    if (column.shape.size() == 1) return std::max<int64_t>(column.shape[0], 1);
    if (column.shape.size() == 3 && column.shape[0] <= kMaxChannels) return column.shape[0];
    return 1;
}

std::vector<double> numbers(const DataSpec& spec, const std::string& key, double unit) {
    std::vector<double> values;
    for (const std::string& text : spec.list(key)) {
        const std::optional<double> value = parseNumber(text);
        if (!value || (key == "std" && !(*value > 0))) {
            throw Error(ErrorCode::InvalidInput,
                        "The data option '" + key + "' holds '" + text + "'; expected " +
                            (key == "std" ? "numbers above 0." : "numbers."));
        }
        values.push_back(*value * unit);
    }
    return values;
}

/// `mean=` and `std=`; one of them may be left out.
std::optional<Normalization> givenNormalization(const DataSpec& spec, const Column& column) {
    const double unit = isImage(column) ? kByteRange : 1;
    Normalization given{numbers(spec, "mean", unit), numbers(spec, "std", unit)};
    if (given.mean.empty() && given.deviation.empty()) return std::nullopt;
    if (given.mean.empty()) given.mean.resize(given.deviation.size(), 0);
    if (given.deviation.empty()) given.deviation.resize(given.mean.size(), unit);
    return given;
}

std::optional<Normalization> normalizationOf(const DataSpec& spec, const Dataset& training,
                                             size_t index) {
    const Column& column = training.columns()[index];
    const bool isScalable =
        isImage(column) || column.dtype == DType::Float32 || column.dtype == DType::Float64;
    if (column.isTarget || !isScalable || column.elementsPerSample() == 0) return std::nullopt;
    if (auto given = givenNormalization(spec, column)) return given;
    std::vector<std::string> modes = {"none", "unit", "standard"};
    if (isImage(column)) std::swap(modes[0], modes[1]);
    const std::string mode = spec.choice("normalize", modes);
    if (mode == "standard") return measureNormalization(training, index, partsOf(column));
    if (mode == "unit" && isImage(column)) return Normalization{{0}, {kByteRange}};
    return std::nullopt;
}

/// `missing=mean`: the features' NaN become the mean of the training samples.
void fillMissing(DataParts& parts, const DataSpec& spec) {
    const auto found = spec.options.find("missing");
    if (found == spec.options.end() || found->second != "mean") return;
    const size_t column = parts.training->columnIndex("features");
    const std::vector<double> means =
        measureNormalization(*parts.training, column, partsOf(parts.training->columns()[column]))
            .mean;
    parts.training = filled(std::move(parts.training), column, means);
    if (parts.evaluation) parts.evaluation = filled(std::move(parts.evaluation), column, means);
}

}  // namespace

OpenedData openData(const std::string& spec, const std::string& evalSpec,
                    const FileResolver& resolver) {
    OpenedData opened;
    opened.spec = parseDataSpec(spec, resolver);
    DataParts parts = openParts(opened.spec, resolver, nullptr);
    if (!evalSpec.empty()) {
        takeEvaluation(parts, parseDataSpec(evalSpec, resolver), resolver);
    } else if (opened.spec.options.contains("test")) {
        takeEvaluation(parts, testSpecOf(opened.spec), resolver);
    }
    checkSameColumns(parts);
    unifyClasses(parts, opened.spec);
    fillMissing(parts, opened.spec);
    for (size_t i = 0; i < parts.training->columns().size(); ++i) {
        const auto by = normalizationOf(opened.spec, *parts.training, i);
        if (!by) continue;
        const std::string name = parts.training->columns()[i].name;
        opened.normalization[name] = *by;
        parts.training = normalized(std::move(parts.training), i, *by);
        if (parts.evaluation == nullptr) continue;
        const size_t index = parts.evaluation->columnIndex(name);
        parts.evaluation = normalized(std::move(parts.evaluation), index, *by);
    }
    opened.training = std::move(parts.training);
    opened.evaluation = std::move(parts.evaluation);
    opened.evaluationOrigin = std::move(parts.evaluationOrigin);
    opened.findings = std::move(parts.findings);
    return opened;
}

}  // namespace temper
