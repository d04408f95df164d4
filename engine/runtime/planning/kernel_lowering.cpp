// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/kernel_lowering.h"

#include <algorithm>

#include "engine/ir/lowering.h"
#include "engine/runtime/planning/plan_types.h"

namespace temper {
namespace {

void setInputTypes(Graph& graph, const InputTypes& inputTypes) {
    std::vector<Value*> fed = graph.inputs();
    fed.insert(fed.end(), graph.captures().begin(), graph.captures().end());
    for (Value* input : fed) {
        const auto given = inputTypes.find(input->name());
        if (given == inputTypes.end() || given->second.size() != 1 || !input->type().isTensor())
            continue;
        const TensorType& type = given->second.front();
        checkAgainstDeclaration(*input, type);
        input->setType({type.dtype, symbolicShape(type.shape), false});
    }
}

void throwFirstError(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::Error) continue;
        throw Error(ErrorCode::InvalidInput, finding.message, finding.hint);
    }
}

}  // namespace

TypedGraph withTypes(const Graph& graph, const InputTypes& inputTypes, const OpCatalog& catalog) {
    TypedGraph typed{graph.clone(), {}};
    setInputTypes(*typed.graph, inputTypes);
    typed.findings = inferTypes(*typed.graph, catalog);
    return typed;
}

std::unique_ptr<Graph> loweredForKernels(const Graph& graph, const InputTypes& inputTypes,
                                         const OpCatalog& catalog, const KernelRegistry& kernels) {
    const auto needsLowering = [&](const Node& node) {
        const OpInfo* info = catalog.find(node);
        return info != nullptr && info->lower && kernels.find(node) == nullptr;
    };
    const std::vector<Node*> nodes = graph.nodes();
    const bool anyDoes = std::any_of(nodes.begin(), nodes.end(),
                                     [&](const Node* node) { return needsLowering(*node); });
    if (!anyDoes) return nullptr;
    TypedGraph lowered = withTypes(graph, inputTypes, catalog);
    throwFirstError(lowered.findings);
    while (lowerNodes(*lowered.graph, catalog, needsLowering)) {
    }
    return std::move(lowered.graph);
}

}  // namespace temper
