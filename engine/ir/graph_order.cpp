// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>

#include "engine/ir/graph.h"
#include "engine/ir/graph_table.h"

namespace temper {
namespace {

/// Whether each node comes after the producers of what it reads.
bool isInOrder(const Graph& graph, const std::vector<Node*>& nodes) {
    return std::ranges::all_of(nodes, [&](const Node* node) {
        const auto isBefore = [node](const Value* value) {
            return value == nullptr || value->producer() == nullptr ||
                   value->producer()->index() < node->index();
        };
        return std::ranges::all_of(node->inputs(), isBefore) &&
               std::ranges::all_of(graph.capturedBy(*node), isBefore);
    });
}

}  // namespace

std::vector<Node*> Graph::topologicalOrder() const {
    std::vector<Node*> all = nodes();
    if (isInOrder(*this, all)) return all;
    NodeTable<size_t> position;
    ValueTable<std::vector<size_t>> capturing;
    std::vector<size_t> waiting(all.size(), 0);
    for (size_t i = 0; i < all.size(); ++i) position[all[i]] = i;
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < all.size(); ++i) {
        for (const Value* value : all[i]->inputs_) {
            if (value != nullptr && value->producer_ != nullptr) ++waiting[i];
        }
        for (const Value* value : capturedBy(*all[i])) {
            if (value->producer_ == nullptr) continue;
            capturing[value].push_back(i);
            ++waiting[i];
        }
        if (waiting[i] == 0) ready.push(i);
    }
    std::vector<Node*> order;
    order.reserve(all.size());
    while (!ready.empty()) {
        Node* node = all[ready.top()];
        ready.pop();
        order.push_back(node);
        for (const Value* value : node->outputs_) {
            if (value == nullptr) continue;
            for (const Value::Use& use : value->uses_) {
                const size_t reader = position.at(use.node);
                if (--waiting[reader] == 0) ready.push(reader);
            }
            const auto* readers = capturing.find(value);
            if (readers == nullptr) continue;
            for (const size_t reader : *readers) {
                if (--waiting[reader] == 0) ready.push(reader);
            }
        }
    }
    if (order.size() == all.size()) return order;
    for (size_t i = 0; i < all.size(); ++i) {
        if (waiting[i] > 0) {
            throw Error(ErrorCode::InvalidInput, "Graph '" + name_ + "' has a cycle through " +
                                                     all[i]->describe() +
                                                     "; expected an acyclic graph.");
        }
    }
    return order;
}

}  // namespace temper
