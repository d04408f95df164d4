// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/run_tags.h"

#include <algorithm>

#include "engine/core/joined.h"

namespace temper {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::vector<std::string> parseTags(std::string_view text) {
    std::vector<std::string> tags;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        const std::string_view tag = trimmed(text.substr(0, comma));
        if (!tag.empty() && std::ranges::find(tags, tag) == tags.end()) tags.emplace_back(tag);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return tags;
}

std::string tagText(const std::vector<std::string>& tags) { return joined(tags); }

}  // namespace temper
