// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/ir/mask_bits.h"
#include "engine/runtime/passes/node_match.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/kernel_lowering.h"

namespace temper {
namespace {

namespace names = mask_bits;

bool isGradient(const Value::Use& use) {
    return use.node->domain() == kMicrosoftDomain && use.node->opType() == "DropoutGrad" &&
           use.input == names::kMaskInput;
}

/// Only a Dropout with a training mode (since opset 12) has a mask that is always defined.
bool mayPackMask(const Node* node) {
    return isOnnx(node, "Dropout") && node->input(2) != nullptr &&
           isReadOnlyBy(node->output(names::kMaskOutput), isGradient);
}

void packMask(Graph& graph, Node* node) {
    Value* mask = node->output(names::kMaskOutput);
    const std::string domain(names::kDomain);
    graph.setOpType(node, std::string(names::kForward), domain);
    mask->setType({});
    const std::vector<Value::Use> uses = mask->uses();
    for (const Value::Use& use : uses)
        graph.setOpType(use.node, std::string(names::kBackward), domain);
}

}  // namespace

std::unique_ptr<Graph> packMasks(const Graph& graph, const InputTypes& inputTypes,
                                 const OpCatalog& catalog, const KernelRegistry& /*kernels*/,
                                 const PlanOptions& /*options*/) {
    const std::vector<Node*> nodes = graph.nodes();
    if (std::ranges::none_of(nodes, mayPackMask)) return nullptr;
    if (catalog.find(names::kDomain, names::kForward) == nullptr) return nullptr;
    std::unique_ptr<Graph> result = withTypes(graph, inputTypes, catalog).graph;
    const auto captured = capturedValues(*result);
    bool isChanged = false;
    for (Node* node : result->nodes()) {
        if (!mayPackMask(node) || captured.contains(node->output(names::kMaskOutput))) continue;
        packMask(*result, node);
        isChanged = true;
    }
    if (!isChanged) return nullptr;
    result->info().opsetImports.try_emplace(std::string(names::kDomain), 1);
    return result;
}

}  // namespace temper
