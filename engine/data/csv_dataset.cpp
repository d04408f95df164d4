// SPDX-License-Identifier: Apache-2.0
#include "engine/data/csv_dialect.h"
#include "engine/data/data_formats.h"

namespace temper {
namespace {

char separatorOf(const DataSpec& spec) {
    const auto found = spec.options.find("sep");
    if (found == spec.options.end()) return spec.kind == "tsv" ? '\t' : ',';
    if (found->second == "tab") return '\t';
    if (found->second.size() == 1 && found->second != "\"") return found->second[0];
    throw Error(ErrorCode::InvalidInput,
                "The data option 'sep' is '" + found->second + "'; expected one character or tab.");
}

std::string withTask(DataSpec spec, const char* task) {
    spec.options["task"] = task;
    return formatDataSpec(spec);
}

DataParts readFile(const DataSpec& spec, const ReadContext& context) {
    CsvOptions options = tableOptionsOf(spec, context.target);
    const DataFile file = openUnpacked(spec.path, context.resolver);
    if (!spec.options.contains("sep") && spec.kind == "csv")
        options.format.separator = sniffSeparator(file.bytes);
    return readTable(CsvTable::parse(file.bytes, file.name, options.format), options, context.same);
}

}  // namespace

const std::vector<DataOption>& tableOptions() {
    static const std::vector<DataOption> kOptions = {
        {"target", "Column to predict, or several."},
        {"features", "Columns to predict from, in this order; all others if omitted."},
        {"sep", "Character between fields, or tab; detected if omitted."},
        {"header", "yes or no: whether the first row names the columns."},
        {"task", "classification or regression, if unclear from the target's values."},
        {"missing", "refuse, drop (the row) or mean (fill in): what to do with missing values."},
    };
    return kOptions;
}

CsvOptions tableOptionsOf(const DataSpec& spec, const TargetForm& model) {
    CsvOptions options;
    options.model = model;
    options.asClasses = withTask(spec, "classification");
    options.targets = spec.list("target");
    options.features = spec.list("features");
    options.format.separator = separatorOf(spec);
    if (spec.options.contains("header")) {
        options.format.hasHeader = spec.choice("header", {"yes", "no"}) == "yes";
    }
    const std::string task = spec.choice("task", {"guess", "classification", "regression"});
    if (task == "classification") options.task = CsvTask::Classification;
    if (task == "regression") options.task = CsvTask::Regression;
    // An explicit request for classes means class indices, whatever the loss makes of them.
    if (task != "classification") options.asNumbers = withTask(spec, "regression");
    const std::string missing = spec.choice("missing", {"refuse", "drop", "mean"});
    if (missing == "drop") options.missing = MissingPolicy::Drop;
    if (missing == "mean") options.missing = MissingPolicy::Keep;
    return options;
}

std::vector<int64_t> linesOf(const CsvTable& table, const std::vector<size_t>& rows) {
    std::vector<int64_t> lines;
    for (const size_t row : rows) lines.push_back(table.line(row));
    return lines;
}

DataParts readTable(const CsvTable& table, const CsvOptions& options, const DataParts* same) {
    const bool fits = same != nullptr && same->encoding.has_value();
    CsvData read = readCsv(table, options, fits ? &*same->encoding : nullptr);
    DataParts parts;
    parts.training = withLines(std::move(read.data), linesOf(table, read.rows));
    parts.findings = std::move(read.findings);
    parts.encoding = std::move(read.encoding);
    return parts;
}

DataFormat csvFormat() {
    return {{"csv", "Table (CSV)", tableOptions()},
            [](const std::string& path, const FileResolver&) {
                return withoutGzip(path).ends_with(".csv");
            },
            readFile};
}

DataFormat tsvFormat() {
    return {{"tsv", "Table (TSV)", tableOptions()},
            [](const std::string& path, const FileResolver&) {
                return withoutGzip(path).ends_with(".tsv");
            },
            readFile};
}

}  // namespace temper
