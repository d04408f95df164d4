// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/selected_outputs.h"

#include <utility>

namespace temper {

void selectOutputs(Graph& graph, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::vector<Value*> outputs;
    for (const std::string& name : names) outputs.push_back(graph.at(name));
    graph.setOutputs(std::move(outputs));
}

std::shared_ptr<const Graph> withOutputs(std::shared_ptr<const Graph> graph,
                                         const std::vector<std::string>& names) {
    if (names.empty()) return graph;
    std::shared_ptr<Graph> copy = graph->clone();
    selectOutputs(*copy, names);
    return copy;
}

}  // namespace temper
