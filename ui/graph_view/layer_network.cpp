// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/layer_network.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "ui/graph_view/index.h"

namespace temper::ui {
namespace {

/// Edges by their source box.
struct BoxGraph {
    std::vector<int> begins;
    std::vector<int> targets;

    BoxGraph(size_t boxes, const std::vector<std::pair<int, int>>& edges) : begins(boxes + 1, 0) {
        for (const auto& [from, to] : edges) ++begins[at(from) + 1];
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        targets.resize(edges.size());
        std::vector<int> next(begins.begin(), begins.end() - 1);
        for (const auto& [from, to] : edges) targets[at(next[at(from)]++)] = to;
    }
    const int* begin(int box) const { return targets.data() + begins[at(box)]; }
    const int* end(int box) const { return targets.data() + begins[at(box) + 1]; }
};

class NetworkMaker {
public:
    explicit NetworkMaker(const LayoutInput& input) : input_(input) {}

    LayerNetwork run() {
        sortBoxes();
        directEdges();
        assignLayers();
        addBoxes();
        addPassages();
        network_.above = adjacency(false);
        network_.below = adjacency(true);
        return std::move(network_);
    }

private:
    struct Link {
        int up;
        int down;
        double upOffset;
        double downOffset;
    };

    int boxCount() const { return static_cast<int>(input_.sizes.size()); }

    /// Kahn's order, the first box first; if only cycles are left, the first box breaks one.
    void sortBoxes() {
        std::vector<std::pair<int, int>> edges;
        for (const LayoutEdge& edge : input_.edges)
            if (edge.from != edge.to) edges.emplace_back(edge.from, edge.to);
        const BoxGraph next(at(boxCount()), edges);
        std::vector<int> waiting(at(boxCount()), 0);
        for (const auto& [from, to] : edges) ++waiting[at(to)];
        std::priority_queue<int, std::vector<int>, std::greater<>> ready;
        for (int box = 0; box < boxCount(); ++box)
            if (waiting[at(box)] == 0) ready.push(box);
        rank_.assign(at(boxCount()), -1);
        int firstLeft = 0;
        for (int rank = 0; rank < boxCount();) {
            if (ready.empty()) {
                while (rank_[at(firstLeft)] >= 0) ++firstLeft;
                ready.push(firstLeft);
            }
            const int box = ready.top();
            ready.pop();
            if (rank_[at(box)] >= 0) continue;
            rank_[at(box)] = rank++;
            order_.push_back(box);
            for (const int* to = next.begin(box); to != next.end(box); ++to)
                if (--waiting[at(*to)] == 0 && rank_[at(*to)] < 0) ready.push(*to);
        }
    }

    void directEdges() {
        for (const LayoutEdge& edge : input_.edges) {
            network_.reversed.push_back(rank_[at(edge.from)] > rank_[at(edge.to)]);
            if (network_.reversed.back())
                directed_.push_back({edge.to, edge.from, edge.toOffset, edge.fromOffset});
            else
                directed_.push_back(edge);
        }
    }

    /// Longest path from the top; then boxes with more readers than sources move down to the
    /// readers.
    void assignLayers() {
        std::vector<std::pair<int, int>> edges;
        std::vector<int> sources(at(boxCount()), 0);
        for (const LayoutEdge& edge : directed_) {
            if (edge.from == edge.to) continue;
            edges.emplace_back(edge.from, edge.to);
            ++sources[at(edge.to)];
        }
        const BoxGraph next(at(boxCount()), edges);
        std::vector<int>& layer = network_.layer;
        layer.assign(at(boxCount()), input_.first.empty() ? 0 : 1);
        std::vector<bool> pinned(at(boxCount()), false);
        for (const int box : input_.first) {
            layer[at(box)] = 0;
            pinned[at(box)] = true;
        }
        for (const int box : order_)
            for (const int* to = next.begin(box); to != next.end(box); ++to)
                layer[at(*to)] = std::max(layer[at(*to)], layer[at(box)] + 1);
        for (auto box = order_.rbegin(); box != order_.rend(); ++box) {
            if (pinned[at(*box)] || next.end(*box) - next.begin(*box) <= sources[at(*box)])
                continue;
            int lowest = std::numeric_limits<int>::max();
            for (const int* to = next.begin(*box); to != next.end(*box); ++to)
                lowest = std::min(lowest, layer[at(*to)]);
            layer[at(*box)] = lowest - 1;
        }
        if (input_.last.empty()) return;
        int lowest = 0;
        for (const int box : input_.last) layer[at(box)] = 0;
        for (const int box : order_) lowest = std::max(lowest, layer[at(box)]);
        for (const int box : input_.last) layer[at(box)] = lowest + 1;
    }

    void addBoxes() {
        network_.boxes = boxCount();
        for (int box = 0; box < boxCount(); ++box) {
            network_.width.push_back(input_.sizes[at(box)].width());
            addToRow(box, network_.layer[at(box)]);
        }
    }

    void addToRow(int item, int layer) {
        if (network_.rows.size() <= at(layer)) network_.rows.resize(at(layer) + 1);
        network_.position.push_back(static_cast<int>(network_.rows[at(layer)].size()));
        network_.rows[at(layer)].push_back(item);
    }

    int addPassage(int layer) {
        network_.layer.push_back(layer);
        network_.width.push_back(0);
        addToRow(network_.items() - 1, layer);
        return network_.items() - 1;
    }

    /// Handles edges of the same origin together, the nearest target first: each continues the
    /// previous one.
    void addPassages() {
        std::vector<int> edges(directed_.size());
        std::iota(edges.begin(), edges.end(), 0);
        const auto key = [this](int edge) {
            const LayoutEdge& of = directed_[at(edge)];
            return std::tuple(of.from, of.fromOffset, network_.layer[at(of.to)], edge);
        };
        std::sort(edges.begin(), edges.end(), [&](int a, int b) { return key(a) < key(b); });
        network_.paths.resize(edges.size());
        std::vector<int> chain;
        for (size_t i = 0; i < edges.size(); ++i) {
            const LayoutEdge& edge = directed_[at(edges[i])];
            const bool same = i > 0 && edge.from == directed_[at(edges[i - 1])].from &&
                              edge.fromOffset == directed_[at(edges[i - 1])].fromOffset;
            if (!same) chain.assign(1, edge.from);
            addPath(edge, chain, network_.paths[at(edges[i])]);
        }
    }

    void addPath(const LayoutEdge& edge, std::vector<int>& chain, std::vector<int>& path) {
        if (edge.from == edge.to) {
            path = {edge.from, edge.to};
            return;
        }
        const int length = network_.layer[at(edge.to)] - network_.layer[at(edge.from)];
        while (static_cast<int>(chain.size()) < length) {
            const int last = chain.back();
            chain.push_back(addPassage(network_.layer[at(last)] + 1));
            links_.push_back({last, chain.back(), chain.size() == 2 ? edge.fromOffset : 0, 0});
        }
        path.assign(chain.begin(), chain.begin() + length);
        links_.push_back({path.back(), edge.to, length == 1 ? edge.fromOffset : 0, edge.toOffset});
        path.push_back(edge.to);
    }

    Adjacency adjacency(bool below) const {
        Adjacency adjacency;
        adjacency.begins.assign(network_.layer.size() + 1, 0);
        for (const Link& link : links_) ++adjacency.begins[at(below ? link.up : link.down) + 1];
        std::partial_sum(adjacency.begins.begin(), adjacency.begins.end(),
                         adjacency.begins.begin());
        adjacency.ends.resize(links_.size());
        std::vector<int> next(adjacency.begins.begin(), adjacency.begins.end() - 1);
        for (const Link& link : links_) {
            const int own = below ? link.up : link.down;
            adjacency.ends[at(next[at(own)]++)] =
                below ? Adjacency::End{link.down, link.downOffset, link.upOffset}
                      : Adjacency::End{link.up, link.upOffset, link.downOffset};
        }
        return adjacency;
    }

    const LayoutInput& input_;
    LayerNetwork network_;
    std::vector<int> order_;
    std::vector<int> rank_;
    std::vector<LayoutEdge> directed_;
    std::vector<Link> links_;
};

}  // namespace

LayerNetwork makeLayerNetwork(const LayoutInput& input) { return NetworkMaker(input).run(); }

}  // namespace temper::ui
