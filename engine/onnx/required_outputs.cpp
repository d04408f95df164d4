// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/required_outputs.h"

#include <algorithm>

#include "engine/ir/body_types.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/operator_schema.h"

namespace temper {
namespace {

void addRequiredOutputs(Graph& graph, Node* node, const OpCatalog& catalog) {
    bool isChanged = false;
    for (size_t i = 0; i < node->outputs().size(); ++i) {
        if (node->output(i) != nullptr) continue;
        const std::string name = nameOfOmitted(*node, i, graph);
        if (name.empty()) continue;
        graph.addOutputTo(node, i, name);
        isChanged = true;
    }
    if (isChanged) inferNodeTypes(graph, *node, catalog);
}

}  // namespace

std::string nameOfOmitted(const Node& node, size_t output, const Graph& graph) {
    const auto& opsets = graph.info().opsetImports;
    const auto opset = opsets.find(node.domain());
    if (opset == opsets.end()) return {};  // a body's
    const auto schema = operatorSchemaOf(node.domain(), node.opType(), opset->second);
    if (!schema || output >= schema->outputs.size() ||
        schema->outputs[output].kind != FormalParameter::Kind::Required)
        return {};
    const auto other = std::ranges::find_if(node.outputs(), [](const Value* each) { return each; });
    const std::string stem = other == node.outputs().end() ? node.name() : (*other)->name();
    return graph.uniqueName(stem + "_unread_" + std::to_string(output));
}

void completeForOrtFormat(Graph& graph, const OpCatalog& catalog) {
    for (Node* node : graph.nodes()) addRequiredOutputs(graph, node, catalog);
    typeBodies(graph, catalog);
}

}  // namespace temper
