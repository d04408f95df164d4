// SPDX-License-Identifier: Apache-2.0
#include "engine/training/training_spec.h"

#include <algorithm>

#include "engine/core/error.h"

namespace temper {

double Selection::value(const std::vector<Choice>& choices,
                        const std::string& hyperParameter) const {
    const auto set = values.find(hyperParameter);
    if (set != values.end()) return set->second;
    const auto choice = std::find_if(choices.begin(), choices.end(),
                                     [&](const Choice& known) { return known.key == key; });
    if (choice == choices.end()) {
        std::string keys;
        for (const Choice& known : choices) keys += (keys.empty() ? "" : ", ") + known.key;
        throw Error(ErrorCode::InvalidInput, "'" + key + "' is not known.",
                    "Choose one of: " + keys + ".");
    }
    const auto& known = choice->hyperParameters;
    const auto found = std::find_if(known.begin(), known.end(), [&](const HyperParameter& p) {
        return p.key == hyperParameter;
    });
    if (found == known.end()) {
        throw Error(ErrorCode::InvalidInput,
                    "'" + key + "' has no hyperparameter '" + hyperParameter + "'.");
    }
    return found->defaultValue;
}

bool matchesPattern(std::string_view pattern, std::string_view name) {
    // Greedy matching: on a mismatch the latest '*' takes one character more.
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

}  // namespace temper
