// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/lowering.h"

#include <vector>

namespace temper {

bool lowerNodes(Graph& graph, const OpCatalog& catalog,
                const std::function<bool(const Node&)>& wanted) {
    std::vector<Node*> chosen;
    for (Node* node : graph.topologicalOrder()) {
        const OpInfo* info = catalog.find(*node);
        if (info != nullptr && info->lower && wanted(*node)) chosen.push_back(node);
    }
    for (Node* node : chosen) catalog.find(*node)->lower(graph, node, catalog);
    return !chosen.empty();
}

}  // namespace temper
