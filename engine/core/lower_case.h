// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <string>

namespace temper {

/// The letters A to Z in lower case; other bytes, such as those of UTF-8, stay.
inline std::string lowerCase(std::string text) {
    for (char& letter : text) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return text;
}

/// "batch size" becomes "Batch size".
inline std::string withLargeFirst(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
    return text;
}

/// "Batch size" becomes "batch size": a label in the middle of a sentence. A first word with more
/// capitals stays, as in "EMA decay".
inline std::string withSmallFirst(std::string text) {
    if (text.empty()) return text;
    const std::string rest = text.substr(1, text.find(' ') - 1);
    if (lowerCase(rest) == rest) text.front() = lowerCase(text.substr(0, 1)).front();
    return text;
}

}  // namespace temper
