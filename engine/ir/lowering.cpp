// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/lowering.h"

#include <string>
#include <vector>

namespace temper {

namespace {

/// Replaces a node by others; what was chosen for its outputs stays with their names.
void lower(Graph& graph, Node* node, const OpCatalog& catalog) {
    std::vector<std::string> stopping;
    for (const Value* output : node->outputs()) {
        if (output != nullptr && output->stopsGradients()) stopping.push_back(output->name());
    }
    catalog.find(*node)->lower(graph, node, catalog);
    for (const std::string& name : stopping) graph.at(name)->setStopsGradients(true);
}

}  // namespace

bool lowerNodes(Graph& graph, const OpCatalog& catalog,
                const std::function<bool(const Node&)>& wanted) {
    std::vector<Node*> chosen;
    for (Node* node : graph.topologicalOrder()) {
        const OpInfo* info = catalog.find(*node);
        if (info != nullptr && info->lower && wanted(*node)) chosen.push_back(node);
    }
    for (Node* node : chosen) lower(graph, node, catalog);
    return !chosen.empty();
}

}  // namespace temper
