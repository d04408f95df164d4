// SPDX-License-Identifier: Apache-2.0
#include "engine/core/printable.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace temper {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kIndentedLine = "\n    ";

/// Bytes of the character that a byte begins; 0 if it begins none.
size_t lengthFrom(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return 2;
    if (first >= 0xE0 && first <= 0xEF) return 3;
    if (first >= 0xF0 && first <= 0xF4) return 4;
    return 0;
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// A character and its bytes; `length` 0: not a valid character. Source: Unicode 15, table 3-7.
struct Character {
    uint32_t code = 0;
    size_t length = 0;
};

Character characterAt(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    const size_t length = lengthFrom(first);
    if (length == 0 || length > text.size()) return {};
    if (length == 1) return {first, 1};
    uint32_t code = first & (0x7FU >> length);
    for (size_t i = 1; i < length; ++i) {
        if (!continues(text[i])) return {};
        code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    const bool isTooLong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool isSurrogate = code >= 0xD800 && code <= 0xDFFF;
    if (isTooLong || isSurrogate || code > 0x10FFFF) return {};
    return {code, length};
}

bool isControl(uint32_t code) {
    const bool isC0OrC1 = code < 0x20 || (code >= 0x7F && code <= 0x9F);
    const bool isSeparator = code == 0x2028 || code == 0x2029;
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return isC0OrC1 || isSeparator || turns;
}

void appendEscaped(std::string& result, uint32_t code) {
    if (code == '\n') {
        result += "\\n";
    } else if (code == '\t') {
        result += "\\t";
    } else {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
        result += escaped;
    }
}

/// `keeps(rest)`: the number of bytes at the start of the rest that are shown as they are, or 0.
template <typename F>
std::string escaped(std::string_view text, F&& keeps) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        size_t length = keeps(text);
        const Character character = length > 0 ? Character{0, length} : characterAt(text);
        if (length > 0 || (character.length > 0 && !isControl(character.code))) {
            result.append(text.substr(0, character.length));
        } else if (character.length > 0) {
            appendEscaped(result, character.code);
        } else {
            result += kReplacement;
        }
        text.remove_prefix(std::max<size_t>(character.length, 1));
    }
    return result;
}

}  // namespace

std::string printable(std::string_view text) {
    return escaped(text, [](std::string_view rest) {
        return rest.front() == '\n' || rest.front() == '\t' ? size_t{1} : size_t{0};
    });
}

std::string printableLine(std::string_view text) {
    return escaped(text, [](std::string_view) { return size_t{0}; });
}

std::string printableMessage(std::string_view text) {
    return escaped(text, [](std::string_view rest) {
        return rest.starts_with(kIndentedLine) ? kIndentedLine.size() : size_t{0};
    });
}

size_t unfinishedBytes(std::string_view text) {
    for (size_t count = 1; count <= std::min<size_t>(3, text.size()); ++count) {
        const char byte = text[text.size() - count];
        if (continues(byte)) continue;
        return lengthFrom(static_cast<unsigned char>(byte)) > count ? count : 0;
    }
    return 0;
}

}  // namespace temper
