// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph_outline.h"

#include <algorithm>

#include "engine/ir/outline_builder.h"

namespace temper {

GraphOutline::GraphOutline(const Graph& graph, const std::vector<Block>& blocks)
    : nodes_(graph.topologicalOrder()) {
    indices_.reserve(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) indices_[nodes_[i]] = static_cast<int>(i);
    groups_ = OutlineBuilder(nodes_, indices_, blocks).run();
    groupOf_.assign(nodes_.size(), 0);
    for (size_t g = 0; g < groups_.size(); ++g)
        for (const OutlineItem& item : groups_[g].items)
            if (item.group < 0) groupOf_[static_cast<size_t>(item.node)] = static_cast<int>(g);
}

int GraphOutline::indexOf(const Node* node) const {
    const auto found = indices_.find(node);
    return found == indices_.end() ? -1 : found->second;
}

std::vector<int> GraphOutline::pathTo(int group) const {
    std::vector<int> path;
    for (int g = group; g >= 0; g = groups_[static_cast<size_t>(g)].parent) path.push_back(g);
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace temper
