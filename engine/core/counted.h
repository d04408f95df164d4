// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace temper {

/// The noun's form for a number: the noun itself for 1, else `plural` or, if empty, the noun with
/// an s.
std::string nounFor(bool isOne, std::string_view noun, std::string_view plural = {});

/// "1 parameter", "3 parameters", "2 classes".
template <std::integral Number>
std::string counted(Number count, std::string_view noun, std::string_view plural = {}) {
    return std::to_string(count) + ' ' + nounFor(count == 1, noun, plural);
}

}  // namespace temper
