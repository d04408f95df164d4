// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace temper::ui {
namespace {

constexpr int kOrderSweeps = 8;
constexpr int kPositionSweeps = 8;
/// Width that an edge takes where it passes a layer.
constexpr double kEdgeWidth = 12;

/// A box, or the place where a long edge passes a layer (then `box` is -1).
struct Item {
    int box = -1;
    int layer = 0;
    double width = kEdgeWidth;
    double x = 0;  ///< centre
    std::vector<int> above;
    std::vector<int> below;
};

class LayeredLayout {
public:
    LayeredLayout(const LayoutInput& input, std::stop_token stop)
        : input_(input), stop_(std::move(stop)) {}

    LayoutResult run() {
        assignLayers();
        makeItems();
        reduceCrossings();
        placeInLayers();
        return result();
    }

private:
    int boxCount() const { return static_cast<int>(input_.sizes.size()); }
    Item& item(int i) { return items_[static_cast<size_t>(i)]; }

    /// Kahn's order; boxes on a cycle come last, in the order given.
    std::vector<int> sortBoxes() const {
        std::vector<std::vector<int>> next(input_.sizes.size());
        std::vector<int> waiting(input_.sizes.size(), 0);
        for (const auto& [from, to] : input_.edges) {
            next[static_cast<size_t>(from)].push_back(to);
            ++waiting[static_cast<size_t>(to)];
        }
        std::vector<int> order;
        for (int box = 0; box < boxCount(); ++box)
            if (waiting[static_cast<size_t>(box)] == 0) order.push_back(box);
        for (size_t i = 0; i < order.size(); ++i)
            for (const int to : next[static_cast<size_t>(order[i])])
                if (--waiting[static_cast<size_t>(to)] == 0) order.push_back(to);
        for (int box = 0; box < boxCount(); ++box)
            if (waiting[static_cast<size_t>(box)] > 0) order.push_back(box);
        return order;
    }

    /// Longest path from above; then boxes without predecessors move down to their readers.
    void assignLayers() {
        const std::vector<int> order = sortBoxes();
        std::vector<int> rank(order.size());
        for (size_t i = 0; i < order.size(); ++i)
            rank[static_cast<size_t>(order[i])] = static_cast<int>(i);
        std::vector<std::vector<int>> next(order.size());
        std::vector<bool> hasAbove(order.size(), false);
        for (const auto& [from, to] : input_.edges) {
            if (rank[static_cast<size_t>(from)] >= rank[static_cast<size_t>(to)]) continue;
            next[static_cast<size_t>(from)].push_back(to);
            hasAbove[static_cast<size_t>(to)] = true;
        }
        layers_.assign(order.size(), 0);
        for (const int box : order)
            for (const int to : next[static_cast<size_t>(box)])
                layers_[static_cast<size_t>(to)] = std::max(layers_[static_cast<size_t>(to)],
                                                            layers_[static_cast<size_t>(box)] + 1);
        for (auto box = order.rbegin(); box != order.rend(); ++box) {
            const auto b = static_cast<size_t>(*box);
            if (hasAbove[b] || next[b].empty()) continue;
            int lowest = std::numeric_limits<int>::max();
            for (const int to : next[b])
                lowest = std::min(lowest, layers_[static_cast<size_t>(to)]);
            layers_[b] = lowest - 1;
        }
    }

    void makeItems() {
        for (int box = 0; box < boxCount(); ++box)
            addItem(box, layers_[static_cast<size_t>(box)],
                    input_.sizes[static_cast<size_t>(box)].width());
        paths_.resize(input_.edges.size());
        for (size_t e = 0; e < input_.edges.size(); ++e) {
            const auto [from, to] = input_.edges[e];
            std::vector<int>& path = paths_[e];
            path.push_back(from);
            for (int layer = item(from).layer + 1; layer < item(to).layer; ++layer)
                path.push_back(addItem(-1, layer, kEdgeWidth));
            path.push_back(to);
            if (item(from).layer >= item(to).layer) continue;
            for (size_t i = 0; i + 1 < path.size(); ++i) {
                item(path[i]).below.push_back(path[i + 1]);
                item(path[i + 1]).above.push_back(path[i]);
            }
        }
    }

    int addItem(int box, int layer, double width) {
        const int index = static_cast<int>(items_.size());
        items_.push_back({box, layer, width, 0, {}, {}});
        if (static_cast<size_t>(layer) >= rows_.size())
            rows_.resize(static_cast<size_t>(layer) + 1);
        rows_[static_cast<size_t>(layer)].push_back(index);
        return index;
    }

    void reduceCrossings() {
        std::vector<double> position(items_.size());
        const auto number = [&](const std::vector<int>& row) {
            for (size_t i = 0; i < row.size(); ++i)
                position[static_cast<size_t>(row[i])] = static_cast<double>(i);
        };
        for (const auto& row : rows_) number(row);
        for (int sweep = 0; sweep < kOrderSweeps && !stop_.stop_requested(); ++sweep) {
            const bool down = sweep % 2 == 0;
            for (size_t i = 1; i < rows_.size(); ++i) {
                auto& row = rows_[down ? i : rows_.size() - 1 - i];
                sortByMedian(row, position, down);
                number(row);
            }
        }
    }

    void sortByMedian(std::vector<int>& row, const std::vector<double>& position, bool down) {
        std::vector<std::pair<double, int>> keyed;
        keyed.reserve(row.size());
        for (const int i : row) {
            const auto& neighbours = down ? item(i).above : item(i).below;
            const double own = position[static_cast<size_t>(i)];
            keyed.emplace_back(neighbours.empty() ? own : meanOf(neighbours, position), i);
        }
        std::stable_sort(keyed.begin(), keyed.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (size_t i = 0; i < row.size(); ++i) row[i] = keyed[i].second;
    }

    static double meanOf(const std::vector<int>& neighbours, const std::vector<double>& position) {
        double sum = 0;
        for (const int n : neighbours) sum += position[static_cast<size_t>(n)];
        return sum / static_cast<double>(neighbours.size());
    }

    double gapBetween(int a, int b) {
        const bool edges = item(a).box < 0 && item(b).box < 0;
        return (item(a).width + item(b).width) / 2 + (edges ? 2 : input_.boxGap);
    }

    void placeInLayers() {
        for (auto& row : rows_) {
            double x = 0;
            for (size_t i = 0; i < row.size(); ++i) {
                if (i > 0) x += gapBetween(row[i - 1], row[i]);
                item(row[i]).x = x;
            }
            for (const int i : row) item(i).x -= x / 2;
        }
        for (int sweep = 0; sweep < kPositionSweeps && !stop_.stop_requested(); ++sweep) {
            const bool down = sweep % 2 == 0;
            for (size_t i = 0; i < rows_.size(); ++i)
                pull(rows_[down ? i : rows_.size() - 1 - i], down);
        }
    }

    /// Moves the items of a row to the mean of their neighbours without changing the order: the
    /// nearest positions (least squares) that keep the gaps, by pooling adjacent violators.
    void pull(const std::vector<int>& row, bool down) {
        struct Block {
            double sum;
            double weight;
            size_t count;
            double mean() const { return sum / weight; }
        };
        std::vector<Block> blocks;
        double offset = 0;
        std::vector<double> offsets(row.size(), 0);
        for (size_t i = 0; i < row.size(); ++i) {
            if (i > 0) offset += gapBetween(row[i - 1], row[i]);
            offsets[i] = offset;
            const auto [wanted, weight] = target(item(row[i]), down);
            blocks.push_back({(wanted - offset) * weight, weight, 1});
            while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
                const Block last = blocks.back();
                blocks.pop_back();
                blocks.back().sum += last.sum;
                blocks.back().weight += last.weight;
                blocks.back().count += last.count;
            }
        }
        size_t i = 0;
        for (const Block& block : blocks)
            for (size_t n = 0; n < block.count; ++n, ++i)
                item(row[i]).x = block.mean() + offsets[i];
    }

    /// Where an item wants to be and how much: the passing points of one edge want to be straight.
    std::pair<double, double> target(const Item& of, bool down) {
        const auto& first = down ? of.above : of.below;
        const auto& neighbours = first.empty() ? (down ? of.below : of.above) : first;
        if (neighbours.empty()) return {of.x, 0.1};
        double sum = 0;
        for (const int n : neighbours) sum += item(n).x;
        return {sum / static_cast<double>(neighbours.size()), of.box < 0 ? 3.0 : 1.0};
    }

    LayoutResult result() {
        std::vector<double> top(rows_.size() + 1, 0);
        for (size_t r = 0; r < rows_.size(); ++r) {
            double height = 0;
            for (const int i : rows_[r])
                if (item(i).box >= 0) height = std::max(height, sizeOf(item(i)).height());
            top[r + 1] = top[r] + height + input_.layerGap;
        }
        LayoutResult result;
        for (int box = 0; box < boxCount(); ++box) {
            const Item& of = item(box);
            const QSizeF size = sizeOf(of);
            const double height = top[static_cast<size_t>(of.layer) + 1] -
                                  top[static_cast<size_t>(of.layer)] - input_.layerGap;
            result.boxes.emplace_back(
                of.x - size.width() / 2,
                top[static_cast<size_t>(of.layer)] + (height - size.height()) / 2, size.width(),
                size.height());
            result.bounds = result.bounds.united(result.boxes.back());
        }
        for (const auto& path : paths_) result.edges.push_back(route(path, top, result.boxes));
        return result;
    }

    QSizeF sizeOf(const Item& of) const { return input_.sizes[static_cast<size_t>(of.box)]; }

    std::vector<QPointF> route(const std::vector<int>& path, const std::vector<double>& top,
                               const std::vector<QRectF>& boxes) {
        const QRectF& from = boxes[static_cast<size_t>(path.front())];
        const QRectF& to = boxes[static_cast<size_t>(path.back())];
        std::vector<QPointF> points{{from.center().x(), from.bottom()}};
        for (size_t i = 1; i + 1 < path.size(); ++i) {
            const Item& passing = item(path[i]);
            const auto layer = static_cast<size_t>(passing.layer);
            points.emplace_back(passing.x, top[layer]);
            points.emplace_back(passing.x, top[layer + 1] - input_.layerGap);
        }
        points.emplace_back(to.center().x(), to.top());
        return points;
    }

    const LayoutInput& input_;
    std::stop_token stop_;
    std::vector<int> layers_;
    std::vector<Item> items_;
    std::vector<std::vector<int>> rows_;
    std::vector<std::vector<int>> paths_;
};

}  // namespace

LayoutResult layoutLayers(const LayoutInput& input, std::stop_token stop) {
    return LayeredLayout(input, std::move(stop)).run();
}

}  // namespace temper::ui
