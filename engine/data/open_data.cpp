// SPDX-License-Identifier: Apache-2.0
#include "engine/data/open_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/counted.h"
#include "engine/data/clean_data.h"
#include "engine/data/data_formats.h"
#include "engine/data/label_classes.h"
#include "engine/data/preprocessing.h"

namespace temper {
namespace {

using DatasetPtr = std::shared_ptr<const Dataset>;

DatasetPtr limited(DatasetPtr data, int64_t limit) {
    if (data == nullptr || data->size() <= limit) return data;
    std::vector<int64_t> first(static_cast<size_t>(limit));
    std::iota(first.begin(), first.end(), 0);
    return subset(std::move(data), std::move(first));
}

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

bool dropsDuplicates(const DataSpec& spec) {
    return spec.choice("duplicates", {"keep", "drop"}) == "drop";
}

/// Keeps the samples of `data` that `rest` returns; reports how many were dropped.
template <typename F>
void keepOnly(DatasetPtr& data, F&& rest, const std::string& what, std::vector<Finding>& findings) {
    if (data == nullptr) return;
    const int64_t before = data->size();
    std::vector<int64_t> kept = rest(*data);
    const int64_t dropped = before - static_cast<int64_t>(kept.size());
    if (dropped == 0) return;
    data = subset(std::move(data), std::move(kept));
    findings.push_back({"D113",
                        Severity::Info,
                        {},
                        {},
                        "Skipped " + std::to_string(dropped) + " of " + counted(before, "sample") +
                            " " + what + ".",
                        {},
                        {}});
}

/// All samples except the bad ones.
std::vector<int64_t> allBut(int64_t size, const std::vector<UnreadableSample>& bad) {
    std::vector<int64_t> rest;
    size_t next = 0;
    for (int64_t i = 0; i < size; ++i) {
        const bool isBad = next < bad.size() && bad[next].sample == i;
        if (isBad) {
            ++next;
        } else {
            rest.push_back(i);
        }
    }
    return rest;
}

/// Unreadable samples are dropped first: the others are read to find the invalid ones.
void dropUnreadable(DatasetPtr& data, const LookProgress& progress,
                    std::vector<Finding>& findings) {
    if (data == nullptr) return;
    const std::vector<UnreadableSample> bad = unreadableSamples(*data, true, progress);
    if (bad.empty()) return;
    const auto rest = [&bad](const Dataset& all) { return allBut(all.size(), bad); };
    std::string why = bad.front().why;
    if (why.ends_with('.')) why.pop_back();
    keepOnly(data, rest, "that can't be read, the first one: " + why, findings);
    findings.back().severity = Severity::Warning;
    if (data->size() > 0) return;
    throw Error(ErrorCode::InvalidInput, "None of the samples can be read.", bad.front().why);
}

/// Labels outside the model's classes, which only dropped samples had, do not name classes.
DatasetPtr withModelsClasses(DatasetPtr data, const TargetForm& model) {
    if (data == nullptr || model.kind != TargetForm::Kind::Classes || model.classes <= 0)
        return data;
    for (size_t i = 0; i < data->columns().size(); ++i) {
        const Column& column = data->columns()[i];
        if (!holdsClassIndices(column, model.classes)) continue;
        if (std::ssize(column.classes) <= model.classes) continue;
        data = withClasses(std::move(data), i, namesOfIndices(model.classes));
    }
    return data;
}

void dropInvalid(DataParts& parts, const DataSpec& spec, const ReadContext& context,
                 const LookProgress& progress) {
    if (!dropsInvalid(spec)) return;
    const auto valid = [&](const Dataset& data) { return validSamples(data, context.target); };
    for (DatasetPtr* data : {&parts.training, &parts.evaluation}) {
        dropUnreadable(*data, progress, parts.findings);
        keepOnly(*data, valid, "with NaN, infinity or a label that is not a class", parts.findings);
        *data = withModelsClasses(std::move(*data), context.target);
    }
}

/// The training samples come first: a sample that is in both parts stays there.
void dropDuplicates(DataParts& parts, const DataSpec& spec) {
    if (!dropsDuplicates(spec)) return;
    std::set<uint64_t> seen;
    for (DatasetPtr* data : {&parts.training, &parts.evaluation}) {
        keepOnly(
            *data, [&](const Dataset& samples) { return newSamples(samples, seen); },
            "that occurred before", parts.findings);
    }
}

/// The column of labels by which the split is stratified.
std::optional<size_t> classColumn(const DataSpec& spec, const Dataset& data) {
    if (spec.choice("stratify", {"yes", "no"}) == "no") return std::nullopt;
    for (size_t i = 0; i < data.columns().size(); ++i) {
        const Column& column = data.columns()[i];
        const bool isLabel = isInteger(column.dtype) && column.elementsPerSample() == 1;
        if (column.isTarget && isLabel && !column.classes.empty()) return i;
    }
    return std::nullopt;
}

/// Reads the source and splits it according to `split`, `seed` and `limit`.
DataParts openParts(const DataSpec& spec, const ReadContext& context) {
    DataParts parts = readParts(spec, context);
    if (const std::optional<double> fraction = spec.number("split")) {
        const int64_t seed = spec.integer("seed", 0).value_or(0);
        DataSplit split = splitDataset(parts.training, *fraction, static_cast<uint64_t>(seed),
                                       classColumn(spec, *parts.training));
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

/// Replaces the evaluation samples of `parts` by those of another source.
void takeEvaluation(DataParts& parts, const DataSpec& spec, ReadContext context) {
    context.same = &parts;
    DataParts other = openParts(spec, context);
    parts.evaluation = other.evaluation ? other.evaluation : other.training;
    parts.evaluationOrigin = spec.path;
    std::move(other.findings.begin(), other.findings.end(), std::back_inserter(parts.findings));
}

/// The same reader and options for the file that `test=` names, without splitting it.
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

/// Applies `classes=`, or else the names that the model was trained with, and the classes of the
/// training samples to the evaluation samples.
void unifyClasses(DataParts& parts, const DataSpec& spec, const TargetForm& model) {
    const std::vector<std::string> given = spec.list("classes");
    for (Column column : std::vector<Column>(parts.training->columns())) {
        if (!column.isTarget) continue;
        if (given.empty() && !model.names.empty()) {
            for (DatasetPtr* data : {&parts.training, &parts.evaluation}) {
                if (*data == nullptr) continue;
                const size_t index = (*data)->columnIndex(column.name);
                *data = numberedAs(std::move(*data), index, model.names);
            }
            continue;
        }
        if (!given.empty()) column.classes = given;
        parts.training = renamedClasses(std::move(parts.training), column);
        parts.evaluation = renamedClasses(std::move(parts.evaluation), column);
    }
}

/// `missing=mean`: replaces NaN in the features by the mean of the training samples.
void fillMissing(DataParts& parts, const DataSpec& spec) {
    const auto found = spec.options.find("missing");
    if (found == spec.options.end() || found->second != "mean") return;
    const std::optional<size_t> column = parts.training->findColumn("features");
    if (!column) return;
    const std::vector<double> means =
        measureNormalization(*parts.training, *column,
                             normalizedParts(parts.training->columns()[*column]))
            .mean;
    parts.training = filled(std::move(parts.training), *column, means);
    if (parts.evaluation) parts.evaluation = filled(std::move(parts.evaluation), *column, means);
}

/// `layout=`, if pictures are read; else the model's.
ImageForm formOf(const DataSpec& spec, ImageForm form) {
    if (spec.options.contains("layout")) {
        form.channelsLast = spec.choice("layout", {"nchw", "nhwc"}) == "nhwc";
    }
    return form;
}

/// The samples as they go into the model.
void finish(OpenedData& opened, DataParts& parts, const Preprocessing& preprocessing) {
    opened.normalization = preprocessing.normalization;
    opened.training = preprocessing.forTraining(std::move(parts.training));
    if (parts.evaluation) opened.evaluation = preprocessing.finished(std::move(parts.evaluation));
}

}  // namespace

OpenedData openData(const std::string& spec, const std::string& evalSpec,
                    const FileResolver& resolver, const ImageForm& form, const TargetForm& target,
                    const LookProgress& progress) {
    OpenedData opened;
    opened.spec = parseDataSpec(spec, resolver);
    opened.form = formOf(opened.spec, form);
    const ReadContext context{resolver, opened.form, target};
    DataParts parts = openParts(opened.spec, context);
    if (!evalSpec.empty()) {
        takeEvaluation(parts, parseDataSpec(evalSpec, resolver), context);
    } else if (opened.spec.options.contains("test")) {
        takeEvaluation(parts, testSpecOf(opened.spec), context);
    }
    checkSameColumns(parts);
    unifyClasses(parts, opened.spec, target);
    dropInvalid(parts, opened.spec, context, progress);
    dropDuplicates(parts, opened.spec);
    opened.rawTraining = parts.training;
    opened.rawEvaluation = parts.evaluation;
    fillMissing(parts, opened.spec);
    finish(opened, parts, preprocessingOf(opened.spec, *parts.training, opened.form));
    opened.evaluationOrigin = std::move(parts.evaluationOrigin);
    opened.findings = std::move(parts.findings);
    return opened;
}

bool choosesNormalization(const DataSpec& spec) {
    if (spec.options.contains("mean") || spec.options.contains("std")) return true;
    const auto mode = spec.options.find("normalize");
    return mode != spec.options.end() && mode->second != "standard";
}

OpenedData normalizedBy(OpenedData data, std::map<std::string, Normalization> normalization) {
    DataParts parts;
    parts.training = data.rawTraining;
    parts.evaluation = data.rawEvaluation;
    fillMissing(parts, data.spec);
    DataSpec unmeasured = data.spec;
    unmeasured.options.erase("normalize");
    Preprocessing preprocessing = preprocessingOf(unmeasured, *parts.training, data.form);
    normalization.merge(std::move(data.normalization));
    preprocessing.normalization = std::move(normalization);
    finish(data, parts, preprocessing);
    return data;
}

}  // namespace temper
