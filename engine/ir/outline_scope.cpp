// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string_view>

#include "engine/ir/graph_outline.h"

namespace temper {
namespace {

bool isNumber(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const size_t end = text.find(separator);
        if (end != 0) parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

/// "encoder.0.conv.Conv": numbers stay with the word before them.
std::vector<std::string> splitDotted(std::string_view text) {
    std::vector<std::string> parts;
    for (const std::string& part : split(text, '.')) {
        if (isNumber(part) && !parts.empty()) {
            parts.back() += "." + part;
        } else {
            parts.push_back(part);
        }
    }
    return parts;
}

/// PyTorch repeats the parent in "/encoder/encoder.0": what is new is "0", of "layer1.0" also.
std::string withoutParent(const std::string& name, const std::string& parent) {
    const std::string prefix = parent + ".";
    return name.size() > prefix.size() && name.starts_with(prefix) ? name.substr(prefix.size())
                                                                   : name;
}

}  // namespace

std::vector<std::string> scopeOf(const Node& node) {
    std::string_view name = node.name();
    if (name.empty())
        for (const Value* output : node.outputs())
            if (name.empty() && output != nullptr) name = output->name();
    const bool slashes = name.find('/') != std::string_view::npos;
    std::vector<std::string> parts = slashes ? split(name, '/') : splitDotted(name);
    if (!parts.empty()) parts.pop_back();
    for (size_t i = parts.size(); slashes && i > 1; --i)
        parts[i - 1] = withoutParent(parts[i - 1], parts[i - 2]);
    return parts;
}

}  // namespace temper
