// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_cycles.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace temper {
namespace {

/// The index of the node that makes a value, by name.
using Makers = std::unordered_map<std::string, int>;

Makers makersIn(const onnx::GraphProto& graph) {
    Makers makers;
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const std::string& output : graph.node(i).output())
            if (!output.empty()) makers[output] = i;
    }
    return makers;
}

/// For each node, those that make its inputs.
std::vector<std::vector<int>> needsOf(const onnx::GraphProto& graph) {
    const Makers makers = makersIn(graph);
    std::vector<std::vector<int>> needs(static_cast<size_t>(graph.node_size()));
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const std::string& input : graph.node(i).input()) {
            const auto maker = makers.find(input);
            if (maker != makers.end()) needs[static_cast<size_t>(i)].push_back(maker->second);
        }
    }
    return needs;
}

bool isInOrder(const std::vector<std::vector<int>>& needs) {
    for (size_t i = 0; i < needs.size(); ++i) {
        const auto isLater = [&](int maker) { return maker >= static_cast<int>(i); };
        if (std::ranges::any_of(needs[i], isLater)) return false;
    }
    return true;
}

class ComponentSearch {
public:
    explicit ComponentSearch(std::vector<std::vector<int>> needs)
        : needs_(std::move(needs)), visits_(needs_.size()) {}

    std::vector<std::vector<int>> run() {
        for (size_t i = 0; i < needs_.size(); ++i)
            if (visits_[i].order == 0) visitFrom(static_cast<int>(i));
        return std::move(cycles_);
    }

private:
    struct Visit {
        int order = 0;    ///< from 1 on; 0: not visited
        int lowest = 0;   ///< the smallest order that is reached from it
        size_t next = 0;  ///< of its needs, the one to follow
        bool isOpen = false;
    };

    Visit& visit(int node) { return visits_[static_cast<size_t>(node)]; }
    const std::vector<int>& needs(int node) const { return needs_[static_cast<size_t>(node)]; }

    void enter(int node) {
        visit(node) = {++count_, count_, 0, true};
        path_.push_back(node);
        open_.push_back(node);
    }

    void visitFrom(int start) {
        enter(start);
        while (!path_.empty()) {
            const int node = path_.back();
            Visit& current = visit(node);
            if (current.next < needs(node).size()) {
                const int maker = needs(node)[current.next++];
                if (visit(maker).order == 0) {
                    enter(maker);
                } else if (visit(maker).isOpen) {
                    current.lowest = std::min(current.lowest, visit(maker).order);
                }
                continue;
            }
            path_.pop_back();
            if (!path_.empty()) {
                Visit& reader = visit(path_.back());
                reader.lowest = std::min(reader.lowest, current.lowest);
            }
            if (current.lowest == current.order) close(node);
        }
    }

    void close(int node) {
        std::vector<int> component;
        do {
            component.push_back(open_.back());
            visit(open_.back()).isOpen = false;
            open_.pop_back();
        } while (component.back() != node);
        const bool needsItself = std::ranges::count(needs(node), node) > 0;
        if (component.size() == 1 && !needsItself) return;
        std::ranges::sort(component);
        cycles_.push_back(std::move(component));
    }

    std::vector<std::vector<int>> needs_;
    std::vector<Visit> visits_;
    std::vector<int> path_;
    std::vector<int> open_;
    std::vector<std::vector<int>> cycles_;
    int count_ = 0;
};

}  // namespace

std::vector<std::vector<int>> findCycles(const onnx::GraphProto& graph) {
    std::vector<std::vector<int>> needs = needsOf(graph);
    if (isInOrder(needs)) return {};
    std::vector<std::vector<int>> cycles = ComponentSearch(std::move(needs)).run();
    std::ranges::sort(cycles);
    return cycles;
}

std::vector<CycleEdge> edgesBack(const onnx::GraphProto& graph, const std::vector<int>& cycle) {
    Makers makers;
    for (const int node : cycle) {
        for (const std::string& output : graph.node(node).output())
            if (!output.empty()) makers[output] = node;
    }
    std::vector<CycleEdge> edges;
    for (const int node : cycle) {
        for (int input = 0; input < graph.node(node).input_size(); ++input) {
            const auto maker = makers.find(graph.node(node).input(input));
            if (maker != makers.end() && maker->second >= node) edges.push_back({node, input});
        }
    }
    return edges;
}

}  // namespace temper
