// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli_context.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "app/cli/exit_status.h"
#include "engine/core/joined.h"
#include "engine/core/printable.h"

namespace temper::cli {
namespace {

/// Counts code points; sufficient for aligning names.
size_t displayWidth(const std::string& text) {
    return static_cast<size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<size_t> columnWidths(const std::vector<std::vector<std::string>>& rows) {
    std::vector<size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], displayWidth(row[i]));
        }
    }
    return widths;
}

void printHint(std::ostream& stream, const std::string& hint) {
    if (!hint.empty()) stream << "  hint: " << printableMessage(hint) << '\n';
}

}  // namespace

int exitStatusOf(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidInput:
        case ErrorCode::NotFound:
        case ErrorCode::Unsupported: return kBadInput;
        default: return kFailure;
    }
}

void printJson(CliContext& context, const Json& document) {
    context.out << document.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void printTable(std::ostream& stream, std::vector<std::vector<std::string>> rows,
                const std::vector<size_t>& rightAligned) {
    for (auto& row : rows) {
        for (std::string& cell : row) cell = printableLine(cell);
    }
    const std::vector<size_t> widths = columnWidths(rows);
    for (const auto& row : rows) {
        const auto cell = [&](size_t i) {
            const std::string padding(widths[i] - displayWidth(row[i]), ' ');
            const bool right = std::ranges::find(rightAligned, i) != rightAligned.end();
            return right ? padding + row[i] : row[i] + padding;
        };
        std::string line = joinedIndices(row.size(), cell, "  ");
        line.erase(line.find_last_not_of(' ') + 1);
        stream << line << '\n';
    }
}

std::string formatBytes(double bytes) {
    constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
    return text.data();
}

std::string formatNumber(double value) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

std::string quotedList(const std::vector<std::string>& names) {
    return joinedQuoted(names, printableLine);
}

Json toJson(const std::vector<Finding>& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings) {
        list.push_back({{"code", finding.code},
                        {"severity", severityName(finding.severity)},
                        {"node", finding.node},
                        {"op", finding.op},
                        {"message", finding.message},
                        {"hint", finding.hint},
                        {"parameters", finding.parameters},
                        {"block", finding.block}});
    }
    return list;
}

void printProblem(std::ostream& stream, std::string_view word, const std::string& message,
                  const std::string& hint) {
    stream << word << ": " << printableMessage(message) << '\n';
    printHint(stream, hint);
}

void printFindings(std::ostream& stream, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        stream << severityName(finding.severity) << ' ' << finding.code << ": "
               << printableMessage(finding.message) << '\n';
        if (!finding.parameters.empty()) {
            stream << "  parameters: " << quotedList(finding.parameters) << '\n';
        }
        printHint(stream, finding.hint);
    }
}

}  // namespace temper::cli
