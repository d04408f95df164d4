// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_formats.h"

#include <algorithm>

namespace temper {
namespace {

constexpr int64_t kMaxClasses = 1000;

char separatorOf(const DataSpec& spec) {
    const auto found = spec.options.find("sep");
    if (found == spec.options.end()) return spec.kind == "tsv" ? '\t' : ',';
    if (found->second == "tab") return '\t';
    if (found->second.size() == 1 && found->second != "\"") return found->second[0];
    throw Error(ErrorCode::InvalidInput,
                "The data option 'sep' is '" + found->second + "'; expected one character or tab.");
}

CsvOptions csvOptions(const DataSpec& spec) {
    CsvOptions options;
    options.targets = spec.list("target");
    options.features = spec.list("features");
    options.format.separator = separatorOf(spec);
    if (spec.options.contains("header")) {
        options.format.hasHeader = spec.choice("header", {"yes", "no"}) == "yes";
    }
    const std::string task = spec.choice("task", {"guess", "classification", "regression"});
    if (task == "classification") options.task = CsvTask::Classification;
    if (task == "regression") options.task = CsvTask::Regression;
    const std::string missing = spec.choice("missing", {"refuse", "drop", "mean"});
    if (missing == "drop") options.missing = MissingPolicy::Drop;
    if (missing == "mean") options.missing = MissingPolicy::Keep;
    return options;
}

}  // namespace

DataParts readTableParts(const DataSpec& spec, const FileResolver& resolver,
                         const DataParts* same) {
    const CsvOptions options = csvOptions(spec);
    const DataFile file = openUnpacked(spec.path, resolver);
    const CsvTable table = CsvTable::parse(file.bytes, file.name, options.format);
    const bool fits = same != nullptr && same->encoding.has_value();
    CsvData read = readCsv(table, options, fits ? &*same->encoding : nullptr);
    DataParts parts;
    parts.training = std::move(read.data);
    parts.findings = std::move(read.findings);
    parts.encoding = std::move(read.encoding);
    return parts;
}

std::vector<std::string> classesOfLabels(const Tensor& labels) {
    if (!isInteger(labels.dtype()) || labels.numElements() == 0) return {};
    int64_t highest = -1;
    bool valid = labels.numElements() == labels.shape()[0];
    visitDType(labels.dtype(), [&]<typename T>() {
        for (const T value : labels.values<T>()) {
            const auto label = static_cast<int64_t>(value);
            valid = valid && label >= 0 && label < kMaxClasses;
            highest = std::max(highest, label);
        }
    });
    std::vector<std::string> classes;
    for (int64_t i = 0; valid && i <= highest; ++i) classes.push_back(std::to_string(i));
    return classes;
}

DataParts readParts(const DataSpec& spec, const FileResolver& resolver, const DataParts* same) {
    if (spec.kind == "idx") return readIdxParts(spec, resolver);
    if (spec.kind == "csv" || spec.kind == "tsv") return readTableParts(spec, resolver, same);
    return readArrayParts(spec, resolver);
}

}  // namespace temper
