// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/core/interruption.h"
#include "engine/core/joined.h"
#include "engine/data/data_formats.h"
#include "engine/data/label_classes.h"

namespace temper {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 6> kUsualTargets = {"label", "labels",  "target",
                                                           "class", "species", "y"};

/// The objects of a file, and the line of each.
struct Lines {
    std::string name;
    std::vector<Json> objects;
    std::vector<int64_t> numbers;
    std::vector<std::string> keys;  ///< in the order in which they first occur

    Error at(size_t row, const std::string& problem, const std::string& hint = {}) const {
        return {ErrorCode::InvalidInput,
                "File '" + name + "', line " + std::to_string(numbers[row]) + ": " + problem + ".",
                hint};
    }
};

Lines parseLines(const DataFile& file) {
    Lines lines{file.name, {}, {}, {}};
    std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
    for (int64_t number = 1; !text.empty(); ++number) {
        InterruptionScope::check();
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        lines.objects.push_back(Json::parse(line, nullptr, false));
        lines.numbers.push_back(number);
        const size_t row = lines.objects.size() - 1;
        if (!lines.objects.back().is_object()) {
            throw lines.at(row, "the line is not a JSON object",
                           "Each line is one sample, e.g. {\"x\": [1, 2], \"label\": \"a\"}.");
        }
        for (const auto& [key, value] : lines.objects.back().items()) {
            if (std::find(lines.keys.begin(), lines.keys.end(), key) == lines.keys.end()) {
                lines.keys.push_back(key);
            }
        }
    }
    if (lines.objects.empty()) throw badFile(file.name, "contains no JSON objects");
    if (lines.keys.empty()) {
        throw badFile(file.name, "contains objects without values",
                      "Each line is one sample, e.g. {\"x\": [1, 2], \"label\": \"a\"}.");
    }
    return lines;
}

bool isArray(const Lines& lines, const std::string& key) {
    return std::any_of(lines.objects.begin(), lines.objects.end(), [&](const Json& object) {
        return object.contains(key) && object.at(key).is_array();
    });
}

// ---- arrays ------------------------------------------------------------------------------------

/// The values of one key, which all have the same shape; a number counts as an array of one
/// element.
class ArrayReader {
public:
    ArrayReader(const Lines& lines, const std::string& key) : lines_(lines), key_(key) {}

    /// Shapes: [rows, ...]; int64 if all are whole numbers, else float32.
    Tensor read(const std::vector<size_t>& rows) {
        size_t done = 0;
        for (const size_t row : rows) {
            const auto found = lines_.objects[row].find(key_);
            if (found == lines_.objects[row].end()) throw bad(row, "is missing");
            Shape shape;
            take(row, *found, 0, shape);
            if (row == rows.front()) shape_ = shape;
            done += static_cast<size_t>(numElements(shape));
            if (values_.size() != done) throw bad(row, "mixes numbers and lists");
            if (shape != shape_) {
                throw bad(row, "has shape " + formatShape(shape) + "; expected " +
                                   formatShape(shape_) + " as in the first sample");
            }
        }
        Shape all = {static_cast<int64_t>(rows.size())};
        all.insert(all.end(), shape_.begin(), shape_.end());
        const Tensor values = Tensor::of<double>(std::move(all), values_);
        return values.cast(isWhole_ ? DType::Int64 : DType::Float32);
    }

private:
    void take(size_t row, const Json& value, size_t depth, Shape& shape) {
        if (value.is_number() || value.is_boolean()) {
            if (depth == 0) shape = {1};
            values_.push_back(value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0)
                                                 : value.get<double>());
            isWhole_ =
                isWhole_ && !value.is_number_float() && std::abs(values_.back()) <= kLargestExact;
            return;
        }
        if (!value.is_array()) throw bad(row, "holds " + value.dump() + "; expected numbers");
        if (depth == shape.size()) shape.push_back(static_cast<int64_t>(value.size()));
        if (shape[depth] != static_cast<int64_t>(value.size())) {
            throw bad(row, "holds lists of different lengths");
        }
        for (const Json& element : value) take(row, element, depth + 1, shape);
    }

    Error bad(size_t row, const std::string& problem) const {
        return lines_.at(row, "the value '" + key_ + "' " + problem);
    }

    const Lines& lines_;
    const std::string& key_;
    Shape shape_;
    static constexpr double kLargestExact = 9007199254740992;  // 2^53
    bool isWhole_ = true;
    std::vector<double> values_;
};

// ---- single values -----------------------------------------------------------------------------

std::string fieldOf(const Lines& lines, size_t row, const std::string& key) {
    const Json value = lines.objects[row].value(key, Json());
    if (value.is_null()) return {};
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    if (value.is_number()) return value.dump();
    throw lines.at(row, "the value '" + key + "' is " + std::string(value.type_name()) +
                            "; expected a number or a text");
}

CsvTable tableOf(const Lines& lines, std::vector<std::string> keys) {
    std::vector<std::string> fields;
    for (size_t row = 0; row < lines.objects.size(); ++row) {
        for (const std::string& key : keys) fields.push_back(fieldOf(lines, row, key));
    }
    return CsvTable::fromFields(lines.name, std::move(keys), fields, lines.numbers);
}

// ---- both --------------------------------------------------------------------------------------

std::vector<std::string> targetsOf(const DataSpec& spec, const Lines& lines) {
    const std::vector<std::string> given = spec.list("target");
    if (!given.empty()) return given;
    for (const std::string_view usual : kUsualTargets) {
        const auto found = std::find(lines.keys.begin(), lines.keys.end(), usual);
        if (found != lines.keys.end()) return {*found};
    }
    return {lines.keys.back()};
}

/// Lists become columns of their own; single values are read like a table, into "features" and the
/// target.
class JsonlReader {
public:
    JsonlReader(const DataSpec& spec, const ReadContext& context, const Lines& lines)
        : spec_(spec), context_(context), lines_(lines), targets_(targetsOf(spec, lines)) {
        for (const std::string& name : targets_) requireKey(name);
        for (const std::string& name : spec.list("features")) requireKey(name);
        sort();
    }

    DataParts run() {
        const bool hasTable = std::none_of(targets_.begin(), targets_.end(),
                                           [&](auto& name) { return isArray(lines_, name); });
        std::vector<size_t> rows(lines_.objects.size());
        std::iota(rows.begin(), rows.end(), size_t{0});
        if (hasTable) {
            rows = readScalars();
        } else {
            arrays_.insert(arrays_.end(), scalars_.begin(), scalars_.end());
        }
        for (const std::string& key : arrays_) addArray(key, rows);
        parts_.training = std::make_shared<TensorDataset>(std::move(columns_), std::move(tensors_));
        return std::move(parts_);
    }

private:
    void requireKey(const std::string& name) const {
        if (std::find(lines_.keys.begin(), lines_.keys.end(), name) != lines_.keys.end()) return;
        throw badFile(lines_.name, "has no value '" + name + "'",
                      "Its values are " + joinedQuoted(lines_.keys) + ".");
    }

    /// The features in the order given, else in that of their names, which no writer changes.
    void sort() {
        std::vector<std::string> features = spec_.list("features");
        if (features.empty()) {
            features = lines_.keys;
            std::ranges::sort(features);
        }
        std::erase_if(features, [&](const std::string& key) { return isTarget(key); });
        for (const auto& keys : {features, targets_}) {
            for (const std::string& key : keys)
                (isArray(lines_, key) ? arrays_ : scalars_).push_back(key);
        }
    }

    bool isTarget(const std::string& key) const {
        return std::find(targets_.begin(), targets_.end(), key) != targets_.end();
    }

    /// Returns: the lines that are samples.
    std::vector<size_t> readScalars() {
        CsvOptions options = tableOptionsOf(spec_, context_.target);
        options.targets = targets_;
        options.features.clear();
        for (const std::string& key : scalars_) {
            if (!isTarget(key)) options.features.push_back(key);
        }
        options.keepsFeatures = !options.features.empty();
        const DataParts* same = context_.same;
        const bool fits = same != nullptr && same->encoding.has_value();
        CsvData read =
            readCsv(tableOf(lines_, scalars_), options, fits ? &*same->encoding : nullptr);
        std::vector<int64_t> all(static_cast<size_t>(read.data->size()));
        std::iota(all.begin(), all.end(), 0);
        for (size_t i = 0; i < read.data->columns().size(); ++i) {
            columns_.push_back(read.data->columns()[i]);
            tensors_.push_back(read.data->batch(i, all));
        }
        parts_.findings = std::move(read.findings);
        parts_.encoding = std::move(read.encoding);
        return std::move(read.rows);
    }

    void addArray(const std::string& key, const std::vector<size_t>& rows) {
        Column column;
        column.name = key;
        column.isTarget = isTarget(key);
        tensors_.push_back(ArrayReader(lines_, key).read(rows));
        if (column.isTarget) {
            const RowsPtr labels = asClassIndices(rowsOf(tensors_.back()), column, context_.target,
                                                  context_.sameTraining());
            tensors_.back() = labels->range(0, labels->size());
        }
        columns_.push_back(std::move(column));
    }

    const DataSpec& spec_;
    const ReadContext& context_;
    const Lines& lines_;
    std::vector<std::string> targets_;
    std::vector<std::string> arrays_;
    std::vector<std::string> scalars_;
    std::vector<Column> columns_;
    std::vector<Tensor> tensors_;
    DataParts parts_;
};

DataParts readJsonl(const DataSpec& spec, const ReadContext& context) {
    const Lines lines = parseLines(openUnpacked(spec.path, context.resolver));
    return JsonlReader(spec, context, lines).run();
}

}  // namespace

DataFormat jsonlFormat() {
    return {
        {"jsonl",
         "Objects (JSON, one per line)",
         {{"target", "Value to predict, or several."},
          {"features", "Values to predict from, in this order; all others, by name, if omitted."},
          {"task", "classification or regression, if unclear from the target's values."},
          {"missing",
           "refuse, drop (the sample) or mean (fill in): what to do with missing values."}}},
        [](const std::string& path, const FileResolver&) {
            const std::string name = withoutGzip(path);
            return name.ends_with(".jsonl") || name.ends_with(".ndjson");
        },
        readJsonl};
}

}  // namespace temper
