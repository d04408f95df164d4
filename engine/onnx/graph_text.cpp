// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_text.h"

#include <set>

#include "engine/onnx/model_reader.h"
#include "engine/onnx/text_parser.h"

namespace temper {
namespace {

constexpr int64_t kDefaultIr = 8;
constexpr int64_t kDefaultOpset = 17;

void collectDomains(const onnx::GraphProto& graph, std::set<std::string>& domains) {
    for (const auto& node : graph.node()) {
        domains.insert(node.domain());
        for (const auto& attribute : node.attribute()) {
            if (attribute.has_g()) collectDomains(attribute.g(), domains);
        }
    }
}

/// The meaning of a text without a header.
void completeHeader(onnx::ModelProto& model) {
    if (!model.has_ir_version()) model.set_ir_version(kDefaultIr);
    if (model.opset_import_size() > 0) return;
    std::set<std::string> domains = {""};
    collectDomains(model.graph(), domains);
    for (const std::string& domain : domains) {
        onnx::OperatorSetIdProto& import = *model.add_opset_import();
        import.set_domain(domain);
        import.set_version(domain.empty() ? kDefaultOpset : 1);
    }
}

}  // namespace

std::unique_ptr<Graph> parseText(std::string_view text, const LoadOptions& options) {
    onnx::ModelProto model;
    TextParser(text).parseModel(model);
    completeHeader(model);
    return readModel(model, {}, options);
}

}  // namespace temper
