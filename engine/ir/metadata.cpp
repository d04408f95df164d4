// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/metadata.h"

namespace temper {

const Metadata& SharedMetadata::get() const {
    static const Metadata kNone;
    return metadata_ == nullptr ? kNone : *metadata_;
}

void SharedMetadata::set(Metadata metadata) {
    metadata_ = metadata.empty() ? nullptr : std::make_shared<const Metadata>(std::move(metadata));
}

const std::string& metadataText(const Metadata& metadata, const char* key) {
    static const std::string kNone;
    const auto found = metadata.find(key);
    return found == metadata.end() ? kNone : found->second;
}

std::string readQuoted(std::string_view text, size_t& at) {
    const char quote = text[at++];
    std::string result;
    for (; at < text.size() && text[at] != quote; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        result += text[at];
    }
    ++at;
    return result;
}

std::vector<std::string> quotedTexts(std::string_view list) {
    std::vector<std::string> texts;
    for (size_t at = 0; at < list.size();) {
        if (list[at] == '\'' || list[at] == '"') {
            texts.push_back(readQuoted(list, at));
        } else {
            ++at;
        }
    }
    return texts;
}

}  // namespace temper
