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

const std::string& metadataText(const Metadata& metadata, const std::string& key) {
    static const std::string kNone;
    const auto found = metadata.find(key);
    return found == metadata.end() ? kNone : found->second;
}

}  // namespace temper
