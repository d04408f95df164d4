// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "ui/graph_view/index.h"
#include "ui/graph_view/layer_network.h"

namespace temper::ui {
namespace {

/// A link as a set element: upper item and lower item.
uint64_t linkKey(int up, int down) {
    return (static_cast<uint64_t>(static_cast<uint32_t>(up)) << 32) | static_cast<uint32_t>(down);
}

using LinkSet = std::unordered_set<uint64_t>;

/// Links that cross the straight middle of a long edge and must yield (type 1 conflicts).
LinkSet findConflicts(const LayerNetwork& network) {
    LinkSet conflicts;
    for (size_t r = 1; r + 1 < network.rows.size(); ++r) {
        const auto& upper = network.rows[r];
        const auto& lower = network.rows[r + 1];
        int left = 0;
        size_t scanned = 0;
        for (size_t l = 0; l < lower.size(); ++l) {
            int inner = -1;  // the passage above, where the link is inner
            if (network.isPassage(lower[l]))
                for (auto end = network.above.begin(lower[l]); end != network.above.end(lower[l]);
                     ++end)
                    if (network.isPassage(end->item)) inner = end->item;
            const bool last = l + 1 == lower.size();
            if (!last && inner < 0) continue;
            const int right =
                inner >= 0 ? network.position[at(inner)] : static_cast<int>(upper.size()) - 1;
            for (; scanned <= l; ++scanned) {
                const int item = lower[scanned];
                for (auto end = network.above.begin(item); end != network.above.end(item); ++end) {
                    const int place = network.position[at(end->item)];
                    const bool innerLink = network.isPassage(item) && network.isPassage(end->item);
                    if (!innerLink && (place < left || place > right))
                        conflicts.insert(linkKey(end->item, item));
                }
            }
            left = right;
        }
    }
    return conflicts;
}

/// One of the four extreme placements: blocks of items aligned with their median neighbour, above
/// or below, packed to the left or to the right.
class Placement {
public:
    Placement(const LayerNetwork& network, const LinkSet& conflicts, bool fromAbove, bool leftward,
              double boxGap, double edgeGap)
        : network_(network),
          conflicts_(conflicts),
          neighbours_(fromAbove ? network.above : network.below),
          fromAbove_(fromAbove),
          leftward_(leftward),
          boxGap_(boxGap),
          edgeGap_(edgeGap) {}

    std::vector<double> run() {
        align();
        pack();
        std::vector<double> x(root_.size());
        const double sign = leftward_ ? 1 : -1;
        for (size_t i = 0; i < x.size(); ++i) x[i] = sign * block_[at(root_[i])] + shift_[i];
        return x;
    }

private:
    void align() {
        root_.resize(at(network_.items()));
        std::iota(root_.begin(), root_.end(), 0);
        aligned_.assign(root_.size(), false);
        shift_.assign(root_.size(), 0);
        const size_t rows = network_.rows.size();
        for (size_t i = 1; i < rows; ++i) alignRow(network_.rows[fromAbove_ ? i : rows - 1 - i]);
    }

    void alignRow(const std::vector<int>& row) {
        int taken = leftward_ ? -1 : std::numeric_limits<int>::max();
        for (size_t i = 0; i < row.size(); ++i) {
            const int item = row[leftward_ ? i : row.size() - 1 - i];
            const auto* begin = neighbours_.begin(item);
            const int count = neighbours_.count(item);
            if (count == 0) continue;
            if (const auto* inner = innerOf(item)) {
                tryAlign(item, *inner, taken);
                continue;
            }
            const int lower = (count - 1) / 2, upper = count / 2;
            const int first = leftward_ ? lower : upper, second = leftward_ ? upper : lower;
            if (!tryAlign(item, begin[first], taken) && second != first)
                tryAlign(item, begin[second], taken);
        }
    }

    /// The neighbour that continues a long edge.
    const Adjacency::End* innerOf(int item) const {
        if (!network_.isPassage(item)) return nullptr;
        for (auto end = neighbours_.begin(item); end != neighbours_.end(item); ++end)
            if (network_.isPassage(end->item)) return end;
        return nullptr;
    }

    bool tryAlign(int item, const Adjacency::End& to, int& taken) {
        const int place = network_.position[at(to.item)];
        if (aligned_[at(to.item)] || (leftward_ ? place <= taken : place >= taken)) return false;
        const uint64_t key = fromAbove_ ? linkKey(to.item, item) : linkKey(item, to.item);
        if (conflicts_.contains(key)) return false;
        aligned_[at(to.item)] = true;
        root_[at(item)] = root_[at(to.item)];
        shift_[at(item)] = shift_[at(to.item)] + to.offset - to.ownOffset;
        taken = place;
        return true;
    }

    struct Constraint {
        int from;
        int to;
        double distance;
    };

    double gap(int a, int b) const {
        const bool passages = network_.isPassage(a) && network_.isPassage(b);
        return (network_.width[at(a)] + network_.width[at(b)]) / 2 +
               (passages ? edgeGap_ : boxGap_);
    }

    /// Distances between blocks, in the direction of packing (mirrored for packing to the right).
    std::vector<Constraint> constraints() const {
        std::vector<Constraint> list;
        const double sign = leftward_ ? 1 : -1;
        for (const auto& row : network_.rows) {
            for (size_t i = 1; i < row.size(); ++i) {
                const int a = row[leftward_ ? i - 1 : row.size() - i];
                const int b = row[leftward_ ? i : row.size() - 1 - i];
                list.push_back({root_[at(a)], root_[at(b)],
                                gap(a, b) + sign * (shift_[at(a)] - shift_[at(b)])});
            }
        }
        return list;
    }

    /// Moves each block as far as its predecessors allow, then back towards its successors.
    void pack() {
        const std::vector<Constraint> list = constraints();
        std::vector<int> begins(root_.size() + 1, 0), waiting(root_.size(), 0);
        for (const Constraint& c : list) {
            ++begins[at(c.from) + 1];
            ++waiting[at(c.to)];
        }
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        std::vector<int> byBlock(list.size()), next(begins.begin(), begins.end() - 1);
        for (size_t i = 0; i < list.size(); ++i)
            byBlock[at(next[at(list[i].from)]++)] = static_cast<int>(i);
        std::vector<int> order;
        for (int item = 0; item < network_.items(); ++item)
            if (root_[at(item)] == item && waiting[at(item)] == 0) order.push_back(item);
        block_.assign(root_.size(), 0);
        for (size_t i = 0; i < order.size(); ++i) {
            for (int n = begins[at(order[i])]; n < begins[at(order[i]) + 1]; ++n) {
                const Constraint& c = list[at(byBlock[at(n)])];
                block_[at(c.to)] = std::max(block_[at(c.to)], block_[at(c.from)] + c.distance);
                if (--waiting[at(c.to)] == 0) order.push_back(c.to);
            }
        }
        for (auto item = order.rbegin(); item != order.rend(); ++item) {
            double limit = std::numeric_limits<double>::max();
            for (int n = begins[at(*item)]; n < begins[at(*item) + 1]; ++n) {
                const Constraint& c = list[at(byBlock[at(n)])];
                limit = std::min(limit, block_[at(c.to)] - c.distance);
            }
            if (limit < std::numeric_limits<double>::max()) block_[at(*item)] = limit;
        }
    }

    const LayerNetwork& network_;
    const LinkSet& conflicts_;
    const Adjacency& neighbours_;
    bool fromAbove_;
    bool leftward_;
    double boxGap_;
    double edgeGap_;
    std::vector<int> root_;
    std::vector<bool> aligned_;
    std::vector<double> shift_;  ///< by item: distance from the middle of its root
    std::vector<double> block_;  ///< by root
};

void sortNeighbours(LayerNetwork& network) {
    for (Adjacency* adjacency : {&network.above, &network.below})
        for (int item = 0; item < network.items(); ++item)
            std::sort(adjacency->mutableBegin(item), adjacency->mutableEnd(item),
                      [&](const Adjacency::End& a, const Adjacency::End& b) {
                          const int left = network.position[at(a.item)];
                          const int right = network.position[at(b.item)];
                          return left != right ? left < right : a.offset < b.offset;
                      });
}

struct Extent {
    double left = std::numeric_limits<double>::max();
    double right = std::numeric_limits<double>::lowest();
    double size() const { return right - left; }
};

Extent extentOf(const LayerNetwork& network, const std::vector<double>& x) {
    Extent extent;
    for (int item = 0; item < network.items(); ++item) {
        const double half = network.width[at(item)] / 2;
        extent.left = std::min(extent.left, x[at(item)] - half);
        extent.right = std::max(extent.right, x[at(item)] + half);
    }
    return extent;
}

}  // namespace

std::vector<double> placeItems(LayerNetwork& network, double boxGap, double edgeGap) {
    sortNeighbours(network);
    const LinkSet conflicts = findConflicts(network);
    std::array<std::vector<double>, 4> placements;
    std::array<Extent, 4> extents;
    size_t narrowest = 0;
    for (size_t i = 0; i < 4; ++i) {
        placements[i] = Placement(network, conflicts, i < 2, i % 2 == 0, boxGap, edgeGap).run();
        extents[i] = extentOf(network, placements[i]);
        if (extents[i].size() < extents[narrowest].size()) narrowest = i;
    }
    const Extent frame = extents[narrowest];
    std::vector<double> x(at(network.items()));
    for (size_t item = 0; item < x.size(); ++item) {
        std::array<double, 4> places;
        for (size_t i = 0; i < 4; ++i)
            places[i] = placements[i][item] + (i % 2 == 0 ? frame.left - extents[i].left
                                                          : frame.right - extents[i].right);
        std::sort(places.begin(), places.end());
        x[item] = (places[1] + places[2]) / 2;
    }
    return x;
}

}  // namespace temper::ui
