// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/curve_csv.h"

#include <charconv>
#include <map>
#include <optional>

namespace temper::ui {
namespace {

/// The shortest text that reads back as the same number, whatever the locale.
std::string numberText(double value) {
    char buffer[32];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, result.ptr};
}

std::string quoted(const std::string& field) {
    if (field.find_first_of(",\"\n") == std::string::npos) return field;
    std::string result = "\"";
    for (const char c : field) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + '"';
}

}  // namespace

std::string curvesToCsv(const std::string& xHeader,
                        const std::vector<std::pair<std::string, const Curve*>>& columns) {
    std::map<double, std::vector<std::optional<double>>> rows;
    for (size_t i = 0; i < columns.size(); ++i) {
        for (const Curve::Point& point : columns[i].second->points()) {
            auto& row = rows[point.x];
            row.resize(columns.size());
            row[i] = point.y;
        }
    }
    std::string csv = quoted(xHeader);
    for (const auto& [header, curve] : columns) csv += ',' + quoted(header);
    csv += '\n';
    for (const auto& [x, row] : rows) {
        csv += numberText(x);
        for (const auto& y : row) csv += ',' + (y ? numberText(*y) : std::string());
        csv += '\n';
    }
    return csv;
}

}  // namespace temper::ui
