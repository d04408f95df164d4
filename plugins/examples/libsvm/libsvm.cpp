// SPDX-License-Identifier: Apache-2.0
// A data format: LIBSVM's tables, "label index:value index:value ..." per line, indices from 1.
// They become the columns `features` [highest index] and `label`.
// Source: the README of LIBSVM, Chang and Lin (2001).

#include <temper/plugin.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr long kMaxFeatures = 1'000'000;

const TemperHost* host = nullptr;

struct Row {
    double label = 0;
    std::vector<std::pair<int64_t, float>> values;
};

struct Table {
    std::vector<Row> rows;
    int64_t features = 0;
    std::vector<std::string> classes;  // by label; empty if labels are not classes
    std::vector<const char*> classTexts;
};

/// What is wrong with a line; empty if it was read.
std::string readRow(const std::string& line, Row& row) {
    const char* at = line.c_str();
    char* end = nullptr;
    row.label = std::strtod(at, &end);
    if (end == at) return "it does not start with a label";
    at = end;
    for (;;) {
        while (*at == ' ' || *at == '\t' || *at == '\r') ++at;
        if (*at == '\0' || *at == '#') return {};
        const long index = std::strtol(at, &end, 10);
        if (end == at || *end != ':' || index < 1 || index > kMaxFeatures)
            return "'" + std::string(at).substr(0, 20) + "' is not an index:value pair";
        at = end + 1;
        const float value = std::strtof(at, &end);
        if (end == at) return "index " + std::to_string(index) + " has no value";
        row.values.emplace_back(index - 1, value);
        at = end;
    }
}

/// Integers from 0 on, or -1 and 1, are classes.
void findClasses(Table& table) {
    std::vector<double> labels;
    for (const Row& row : table.rows) labels.push_back(row.label);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    if (labels == std::vector<double>{-1, 1}) {
        for (Row& row : table.rows) row.label = row.label > 0 ? 1 : 0;
        table.classes = {"-1", "+1"};
    } else if (labels.back() < 1000) {
        for (const double label : labels) {
            if (label < 0 || label != static_cast<double>(static_cast<int64_t>(label))) return;
        }
        for (int64_t i = 0; i <= static_cast<int64_t>(labels.back()); ++i)
            table.classes.push_back(std::to_string(i));
    }
    for (const std::string& name : table.classes) table.classTexts.push_back(name.c_str());
}

int recognises(const char* path) {
    const std::string_view text(path);
    return text.ends_with(".libsvm") || text.ends_with(".svm") ? 1 : 0;
}

int open(const char* path, const TemperOption*, int32_t, void** data, TemperError* error) try {
    std::ifstream file(path);
    if (!file) {
        const std::string why = std::string("It can't be opened: ") + std::strerror(errno) + ".";
        return host->fail(error, why.c_str(), nullptr);
    }
    Table table;
    std::string line;
    for (int64_t number = 1; std::getline(file, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
        Row row;
        const std::string problem = readRow(line, row);
        if (!problem.empty()) {
            const std::string where = "Line " + std::to_string(number) + ": " + problem + ".";
            return host->fail(error, where.c_str(),
                              "A line is a label and then pairs such as 3:0.5, indices from 1.");
        }
        for (const auto& [index, value] : row.values)
            table.features = std::max(table.features, index + 1);
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty() || table.features == 0)
        return host->fail(error, "It contains no samples with features.", nullptr);
    auto opened = new Table(std::move(table));
    findClasses(*opened);
    *data = opened;
    return 0;
} catch (const std::exception& problem) {
    return host->fail(error, problem.what(), nullptr);
}

const Table& tableOf(void* data) { return *static_cast<const Table*>(data); }

int64_t sampleCount(void* data) { return static_cast<int64_t>(tableOf(data).rows.size()); }

int32_t columnCount(void*) { return 2; }

void column(void* data, int32_t index, TemperColumn* column) {
    const Table& table = tableOf(data);
    if (index == 0) {
        column->name = "features";
        column->type = {TEMPER_FLOAT32, 1, {table.features}};
        return;
    }
    const bool hasClasses = !table.classes.empty();
    column->name = "label";
    column->type = {hasClasses ? TEMPER_INT64 : TEMPER_FLOAT32, 0, {}};
    column->classes = hasClasses ? table.classTexts.data() : nullptr;
    column->class_count = static_cast<int32_t>(table.classTexts.size());
    column->is_target = 1;
}

int read(void* data, int32_t index, const int64_t* samples, int64_t count, void* target,
         TemperError*) {
    const Table& table = tableOf(data);
    for (int64_t i = 0; i < count; ++i) {
        const Row& row = table.rows[static_cast<size_t>(samples[i])];
        if (index == 0) {
            float* features = static_cast<float*>(target) + i * table.features;
            std::fill_n(features, table.features, 0.0F);
            for (const auto& [at, value] : row.values) features[at] = value;
        } else if (table.classes.empty()) {
            static_cast<float*>(target)[i] = static_cast<float>(row.label);
        } else {
            static_cast<int64_t*>(target)[i] = static_cast<int64_t>(row.label);
        }
    }
    return 0;
}

void close(void* data) { delete static_cast<Table*>(data); }

int load(const TemperHost* given, TemperRegistry* registry, TemperError* error) {
    host = given;
    TemperDataFormat format{};
    format.size = sizeof format;
    format.key = "libsvm";
    format.label = "LIBSVM table";
    format.recognises = recognises;
    format.open = open;
    format.sample_count = sampleCount;
    format.column_count = columnCount;
    format.column = column;
    format.read = read;
    format.close = close;
    return host->add_data_format(registry, &format, error);
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {
    TEMPER_PLUGIN_ABI, "libsvm", "1.0", "Reads LIBSVM tables (label index:value ...).", load};
