// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/foreign_opset.h"

#include <charconv>
#include <string>

#include "engine/onnx/metadata_fields.h"

namespace temper {
namespace {

constexpr const char* kNote = "temper.foreign_opset";  ///< "11 function"

}  // namespace

void noteForeignOpset(onnx::NodeProto& node, const ForeignOpset& opset) {
    if (node.domain().empty() || node.domain() == kLongOnnxDomain) {
        writeMetadata({{kNote, std::to_string(opset.version) + " " + opset.function}}, node);
    }
    for (auto& attribute : *node.mutable_attribute()) {
        if (!attribute.has_g()) continue;
        for (auto& inner : *attribute.mutable_g()->mutable_node()) noteForeignOpset(inner, opset);
    }
}

std::shared_ptr<const ForeignOpset> takeForeignOpset(Metadata& metadata) {
    const auto found = metadata.find(kNote);
    if (found == metadata.end()) return nullptr;
    const std::string text = std::move(found->second);
    metadata.erase(found);
    ForeignOpset opset;
    const char* end = text.data() + text.size();
    const char* afterVersion = std::from_chars(text.data(), end, opset.version).ptr;
    if (afterVersion != end) opset.function.assign(afterVersion + 1, end);
    return std::make_shared<const ForeignOpset>(std::move(opset));
}

}  // namespace temper
