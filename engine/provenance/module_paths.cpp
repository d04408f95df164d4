// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/module_paths.h"

#include <cctype>

namespace temper {

std::string_view lastPart(std::string_view parameter) {
    return parameter.substr(parameter.rfind('.') + 1);
}

std::string moduleIn(std::string_view parameter) {
    const size_t dot = parameter.rfind('.');
    return std::string(dot == std::string_view::npos ? std::string_view()
                                                     : parameter.substr(0, dot));
}

bool mentions(std::string_view code, std::string_view parameter) {
    const std::string word = "self." + std::string(lastPart(parameter));
    for (size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
        const size_t end = at + word.size();
        const bool continues =
            end < code.size() &&
            (std::isalnum(static_cast<unsigned char>(code[end])) != 0 || code[end] == '_');
        if (!continues) return true;
    }
    return false;
}

size_t lengthOfCommonPath(std::string_view a, std::string_view b) {
    size_t common = 0;
    for (size_t i = 0;; ++i) {
        const bool endsA = i == a.size() || a[i] == '.', endsB = i == b.size() || b[i] == '.';
        if (endsA && endsB) common = i;
        if (i == a.size() || i == b.size() || a[i] != b[i]) return common;
    }
}

std::optional<std::string> namesakeNear(std::string_view module, const std::string& parameter,
                                        const std::vector<std::string>& candidates) {
    std::optional<std::string> nearest;
    size_t longest = lengthOfCommonPath(parameter, module);
    for (const std::string& each : candidates) {
        if (lastPart(each) != lastPart(parameter)) continue;
        const size_t length = lengthOfCommonPath(each, module);
        if (length < longest) continue;
        nearest = length > longest ? std::optional(each) : std::nullopt;
        longest = length;
    }
    return nearest;
}

}  // namespace temper
