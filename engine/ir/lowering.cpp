// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/lowering.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/ir/type_inference.h"

namespace temper {

namespace {

/// An output at which gradients stop, and its readers.
struct StoppingOutput {
    Value* value;
    std::vector<Value::Use> uses;
};

/// The nodes that replace this one may read the output, too, and pass gradients on there: then only
/// its previous readers get the value that stops them.
void stopAt(Graph& graph, const OpCatalog& catalog, const StoppingOutput& output) {
    Value* value = output.value;
    if (value->uses().size() == output.uses.size()) return;
    value->setStopsGradients(false);
    Node* copy = graph.addNode({.opType = "Identity",
                                .inputs = {value},
                                .outputs = {graph.uniqueName(value->name() + "_stopped")}});
    inferNodeTypes(graph, *copy, catalog);
    copy->output(0)->setStopsGradients(true);
    for (const Value::Use& use : output.uses) graph.setInput(use.node, use.input, copy->output(0));
}

/// Replaces a node by others; the choices made for its outputs stay with them.
void lower(Graph& graph, Node* node, const OpCatalog& catalog, const Lowering& lowering) {
    std::vector<StoppingOutput> stopping;
    for (Value* output : node->outputs()) {
        if (output != nullptr && output->stopsGradients())
            stopping.push_back({output, output->uses()});
    }
    lowering(graph, node, catalog);
    for (const StoppingOutput& output : stopping) stopAt(graph, catalog, output);
}

}  // namespace

bool lowerNodes(Graph& graph, const OpCatalog& catalog,
                const std::function<bool(const Node&)>& wanted) {
    return lowerNodesBy(graph, catalog, [&](const Node& node) -> const Lowering* {
        const OpInfo* info = catalog.find(node);
        return info != nullptr && info->lower && wanted(node) ? &info->lower : nullptr;
    });
}

bool lowerNodesBy(Graph& graph, const OpCatalog& catalog,
                  const std::function<const Lowering*(const Node&)>& loweringOf) {
    std::vector<std::pair<Node*, const Lowering*>> chosen;
    for (Node* node : graph.topologicalOrder()) {
        const Lowering* lowering = loweringOf(*node);
        if (lowering != nullptr && hasFittingTypes(graph, *node, catalog))
            chosen.emplace_back(node, lowering);
    }
    for (const auto& [node, lowering] : chosen) lower(graph, node, catalog, *lowering);
    return !chosen.empty();
}

}  // namespace temper
