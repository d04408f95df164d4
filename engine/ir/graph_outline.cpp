// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph_outline.h"

#include <algorithm>

#include "engine/ir/outline_builder.h"

namespace temper {

GraphOutline::GraphOutline(const Graph& graph, const std::vector<Block>& blocks)
    : nodes_(graph.topologicalOrder()) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
        const size_t place = nodes_[i]->index();
        if (place >= indices_.size()) indices_.resize(place + place / 2 + 1, -1);
        indices_[place] = static_cast<int>(i);
    }
    groups_ = OutlineBuilder(nodes_, indices_, blocks).run();
    groupOf_.assign(nodes_.size(), 0);
    for (size_t g = 0; g < groups_.size(); ++g)
        for (const OutlineItem& item : groups_[g].items)
            if (item.group < 0) groupOf_[static_cast<size_t>(item.node)] = static_cast<int>(g);
}

int GraphOutline::indexOf(const Node* node) const {
    if (node == nullptr || node->index() >= indices_.size()) return -1;
    const int index = indices_[node->index()];
    // Nodes of other graphs have the same indices.
    return index >= 0 && nodes_[static_cast<size_t>(index)] == node ? index : -1;
}

std::vector<int> GraphOutline::pathTo(int group) const {
    std::vector<int> path;
    for (int g = group; g >= 0; g = groups_[static_cast<size_t>(g)].parent) path.push_back(g);
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace temper
