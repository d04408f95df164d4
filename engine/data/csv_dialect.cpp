// SPDX-License-Identifier: Apache-2.0
#include "engine/data/csv_dialect.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace temper {
namespace {

constexpr size_t kLinesToLookAt = 20;
constexpr size_t kBytesToLookAt = 1 << 16;
constexpr std::array<char, 4> kSeparators = {';', '\t', ',', '|'};

using Counts = std::array<size_t, kSeparators.size()>;

/// How often each separator occurs in the first lines, without blank lines and a last line that is
/// cut off.
std::vector<Counts> countsOfLines(std::string_view text, bool isCut) {
    std::vector<Counts> lines;
    Counts counts{};
    bool isQuoted = false, isBlank = true;
    const auto endLine = [&] {
        if (!isBlank) lines.push_back(counts);
        counts = {};
        isBlank = true;
    };
    for (const char character : text) {
        if (character == '"') isQuoted = !isQuoted;
        if (character == '\n' && !isQuoted) {
            endLine();
            if (lines.size() == kLinesToLookAt) return lines;
            continue;
        }
        isBlank = isBlank && std::isspace(static_cast<unsigned char>(character)) != 0;
        const auto* found = std::find(kSeparators.begin(), kSeparators.end(), character);
        if (found != kSeparators.end() && !isQuoted)
            ++counts[static_cast<size_t>(found - kSeparators.begin())];
    }
    if (!isCut) endLine();
    return lines;
}

bool isDigit(char character) { return character >= '0' && character <= '9'; }

bool isDigits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

/// "1234" or, with marks between the thousands, "1.234"; as digits, or nothing.
std::optional<std::string> wholeNumber(std::string_view text) {
    if (isDigits(text)) return std::string(text);
    std::string digits;
    const size_t first = text.find_first_of(". ");
    if (first == std::string_view::npos || first == 0 || first > 3) return std::nullopt;
    const char mark = text[first];
    for (size_t end = text.size();;) {
        const size_t begin = text.rfind(mark, end - 1);
        const std::string_view group = begin == std::string_view::npos
                                           ? text.substr(0, end)
                                           : text.substr(begin + 1, end - begin - 1);
        if (!isDigits(group) || (begin != std::string_view::npos && group.size() != 3))
            return std::nullopt;
        digits.insert(0, group);
        if (begin == std::string_view::npos) return digits;
        end = begin;
    }
}

}  // namespace

char sniffSeparator(std::span<const std::byte> table) {
    const std::string_view text(reinterpret_cast<const char*>(table.data()),
                                std::min(table.size(), kBytesToLookAt));
    const std::vector<Counts> lines = countsOfLines(text, text.size() < table.size());
    char best = ',';
    size_t mostLines = lines.size() / 2;  // broken rows are for the parser to report
    for (size_t i = 0; i < kSeparators.size(); ++i) {
        if (lines.empty() || lines.front()[i] == 0) continue;
        const auto agreeing = static_cast<size_t>(std::ranges::count_if(
            lines, [&](const Counts& line) { return line[i] == lines.front()[i]; }));
        if (agreeing <= mostLines) continue;
        best = kSeparators[i];
        mostLines = agreeing;
    }
    return best;
}

std::string withDecimalPoint(std::string_view field) {
    std::string_view number = field;
    std::string sign;
    if (number.starts_with('-') || number.starts_with('+')) {
        sign = number.substr(0, 1);
        number.remove_prefix(1);
    }
    const size_t comma = number.find(',');
    if (comma == std::string_view::npos) return std::string(field);
    std::string_view fraction = number.substr(comma + 1);
    const size_t exponent = std::min(fraction.find_first_of("eE"), fraction.size());
    const std::string rest(fraction.substr(exponent));
    fraction = fraction.substr(0, exponent);
    const std::optional<std::string> whole = wholeNumber(number.substr(0, comma));
    if (!whole || !isDigits(fraction)) return std::string(field);
    return sign + *whole + "." + std::string(fraction) + rest;
}

}  // namespace temper
