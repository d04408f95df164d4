// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/edge_labels.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace temper::ui {
namespace {

// In lines of text.
constexpr double kBeside = 0.4;    ///< from the edge
constexpr double kFromBox = 0.6;   ///< of the baseline above the target box
constexpr double kBelowBox = 0.1;  ///< of the letters below the source box
constexpr double kAscent = 0.75;
constexpr double kHeight = 0.9;
constexpr double kCell = 6;

/// Rectangles, indexed by the grid cells that they touch.
class Occupied {
public:
    explicit Occupied(double cell) : cell_(cell) {}

    void add(const QRectF& rect) {
        forCells(rect, [&](int64_t key) {
            cells_[key].push_back(rect);
            return true;
        });
    }
    bool isFree(const QRectF& rect) const {
        return forCells(rect, [&](int64_t key) {
            const auto found = cells_.find(key);
            return found == cells_.end() ||
                   std::ranges::none_of(found->second, [&rect](const QRectF& other) {
                       return other.intersects(rect);
                   });
        });
    }

private:
    /// Stops at the first call that returns false.
    template <typename F>
    bool forCells(const QRectF& rect, F&& call) const {
        const auto cellOf = [this](double at) {
            return static_cast<int64_t>(std::floor(at / cell_));
        };
        for (int64_t x = cellOf(rect.left()); x <= cellOf(rect.right()); ++x)
            for (int64_t y = cellOf(rect.top()); y <= cellOf(rect.bottom()); ++y)
                if (!call(x * 1'000'003 + y)) return false;
        return true;
    }

    double cell_;
    std::unordered_map<int64_t, std::vector<QRectF>> cells_;
};

/// A point on an edge between two layers, bent as the painter does.
QPointF onBend(QPointF from, QPointF to, double part) {
    const double eased = part * part * (3 - 2 * part);
    return {from.x() + eased * (to.x() - from.x()), from.y() + part * (to.y() - from.y())};
}

/// For edges from top to bottom: to the right and left of the arrow, of the start, of bends.
std::vector<QPointF> placesBeside(const GraphEdge& edge, double wide, double line) {
    std::vector<QPointF> places;
    const auto beside = [&](QPointF baseline) {
        places.push_back(baseline + QPointF(kBeside * line, 0));
        places.push_back(baseline - QPointF(kBeside * line + wide, 0));
    };
    beside(edge.points.back() - QPointF(0, kFromBox * line));
    beside(edge.points.front() + QPointF(0, (kBelowBox + kAscent) * line));
    for (size_t i = edge.points.size() - 1; i > 0; --i)
        for (const double part : {0.75, 0.5, 0.25})
            beside(onBend(edge.points[i - 1], edge.points[i], part));
    return places;
}

/// For edges from left to right: above the parts of the edge that are long enough, the last first.
std::vector<QPointF> placesAbove(const GraphEdge& edge, double wide, double line) {
    std::vector<QPointF> places;
    for (size_t i = edge.points.size() - 1; i > 0; --i) {
        const QPointF to = edge.points[i], from = edge.points[i - 1];
        if (wide >= std::abs(to.x() - from.x())) continue;
        places.emplace_back((from.x() + to.x() - wide) / 2, to.y() - 0.3 * line);
        places.emplace_back((from.x() + to.x() - wide) / 2, from.y() - 0.3 * line);
    }
    return places;
}

QRectF labelRect(QPointF baseline, double wide, double line) {
    return {baseline.x(), baseline.y() - kAscent * line, wide, kHeight * line};
}

}  // namespace

QRectF edgeLabelRect(const GraphEdge& edge, const DrawingMetrics& metrics) {
    return labelRect(*edge.labelAt, metrics.textWidth(edge.label), metrics.lineHeight);
}

void placeEdgeLabels(GraphDrawing& drawing) {
    const double line = drawing.metrics.lineHeight;
    Occupied occupied(kCell * line);
    for (const GraphBox& box : drawing.boxes)
        if (!box.open) occupied.add(box.rect);
    for (GraphEdge& edge : drawing.edges) {
        if (edge.label.isEmpty()) continue;
        const double wide = drawing.metrics.textWidth(edge.label);
        const auto places = drawing.fold.horizontal ? placesAbove(edge, wide, line)
                                                    : placesBeside(edge, wide, line);
        const auto free = std::ranges::find_if(
            places, [&](QPointF place) { return occupied.isFree(labelRect(place, wide, line)); });
        if (free == places.end()) continue;
        edge.labelAt = *free;
        occupied.add(labelRect(*free, wide, line));
    }
}

}  // namespace temper::ui
