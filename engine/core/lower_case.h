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

}  // namespace temper
