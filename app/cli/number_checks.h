// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

#include "app/cli/cli_context.h"

namespace temper::cli {

/// Accepts numbers for which `isRight` holds. CLI11's own ranges let "nan" through, which compares
/// false with both ends, and "inf".
template <typename Predicate>
CLI::Validator numberCheck(const std::string& name, const std::string& expected,
                           Predicate isRight) {
    return CLI::Validator(
        [expected, isRight](std::string& text) {
            double number = 0;
            const bool isNumber = CLI::detail::lexical_cast(text, number) && std::isfinite(number);
            return isNumber && isRight(number) ? std::string()
                                               : "'" + text + "' is not a number " + expected;
        },
        name);
}

/// Accepts whole numbers of 64 bits without a sign, as CLI11 reads them. It takes "-1" for a large
/// number, and what is too large for the largest one.
inline CLI::Validator unsignedNumber() {
    return CLI::Validator(
        [](std::string& text) {
            char* end = nullptr;
            errno = 0;
            std::strtoull(text.c_str(), &end, 0);
            const bool isWhole = !text.empty() && *end == '\0' && errno == 0;
            if (isWhole && text.find('-') == std::string::npos) return std::string();
            return "'" + text + "' is not a whole number from 0 to 2^64 - 1";
        },
        "");
}

inline CLI::Validator notNegative() {
    return numberCheck("NONNEGATIVE", "of at least 0", [](double number) { return number >= 0; });
}

inline CLI::Validator positive() {
    return numberCheck("POSITIVE", "above 0", [](double number) { return number > 0; });
}

inline CLI::Validator between(double least, double most) {
    const std::string ends[] = {formatNumber(least), formatNumber(most)};
    return numberCheck("in [" + ends[0] + " - " + ends[1] + "]",
                       "from " + ends[0] + " to " + ends[1],
                       [least, most](double number) { return number >= least && number <= most; });
}

/// From `least` to below `end`.
inline CLI::Validator below(double least, double end) {
    const std::string ends[] = {formatNumber(least), formatNumber(end)};
    return numberCheck("in [" + ends[0] + " - " + ends[1] + ")",
                       "from " + ends[0] + " to below " + ends[1],
                       [least, end](double number) { return number >= least && number < end; });
}

}  // namespace temper::cli
