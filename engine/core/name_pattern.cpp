// SPDX-License-Identifier: Apache-2.0
#include "engine/core/name_pattern.h"

namespace temper {

bool matchesPattern(std::string_view pattern, std::string_view name) {
    // Greedy matching: on a mismatch the latest '*' takes one more character.
    size_t p = 0;
    size_t n = 0;
    size_t star = std::string_view::npos;
    size_t taken = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++taken;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matchesAny(const std::vector<std::string>& patterns, std::string_view name) {
    for (const std::string& pattern : patterns) {
        if (pattern == name || matchesPattern(pattern, name)) return true;
    }
    return false;
}

}  // namespace temper
