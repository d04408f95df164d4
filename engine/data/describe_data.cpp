// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/printable.h"
#include "engine/data/open_data.h"

namespace temper {
namespace {

constexpr size_t kMaxNames = 10;

std::string shortNumber(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// "a, b, c, ..."
template <typename Values, typename Format>
std::string listed(const Values& values, Format&& format) {
    return joined(values, format, kMaxNames);
}

/// "3 as 0", ...
std::vector<std::string> numberedClasses(const Column& column) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < column.classes.size(); ++i) {
        texts.push_back(column.classes[i] + " as " + std::to_string(i));
    }
    return texts;
}

std::string describeColumn(const Column& column, const OpenedData& data) {
    const auto name = [](const std::string& text) { return printableLine(text); };
    std::string text = "  " + printableLine(column.name) + ": " +
                       std::string(dtypeName(column.dtype)) + " " + formatShape(column.shape) +
                       (column.isTarget ? ", target" : "");
    if (!column.classes.empty()) {
        text += ", " + counted(column.classes.size(), "class", "classes") + " (" +
                (column.hasRenumberedClasses() ? listed(numberedClasses(column), name)
                                               : listed(column.classes, name)) +
                ")";
    }
    if (!column.elements.empty()) text += " (" + listed(column.elements, name) + ")";
    text += '\n';
    const auto by = data.normalization.find(column.name);
    if (by == data.normalization.end()) return text;
    return text + "    normalized: " + describeNormalization(by->second) + "\n";
}

}  // namespace

std::string describeNormalization(const Normalization& normalization) {
    return "mean " + listed(normalization.mean, shortNumber) + "; deviation " +
           listed(normalization.deviation, shortNumber);
}

std::string describeData(const OpenedData& data) {
    std::string text = printableLine(formatDataSpec(data.spec)) + "\n  " +
                       counted(data.training->size(), "training sample");
    text += data.evaluation == nullptr
                ? std::string(", no evaluation samples\n")
                : ", " + counted(data.evaluation->size(), "evaluation sample") + " (" +
                      printableLine(data.evaluationOrigin) + ")\n";
    for (const Column& column : data.training->columns()) text += describeColumn(column, data);
    return text;
}

}  // namespace temper
