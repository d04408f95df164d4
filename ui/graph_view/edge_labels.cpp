// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/edge_labels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace temper::ui {
namespace {

// In lines of text.
constexpr double kBeside = 0.4;    ///< from the edge
constexpr double kFromBox = 0.6;   ///< of the baseline above the target box
constexpr double kBelowBox = 0.1;  ///< of the letters below the source box
constexpr double kAscent = 0.75;
constexpr double kHeight = 0.9;
constexpr QSizeF kCell(24, 6);
constexpr double kApart = 0.2;  ///< of letters from other edges, which the painter simplifies

/// Items with an area, indexed by the grid cells that they touch.
template <typename T>
class Grid {
public:
    /// `bounds`: the area with the cells; what is outside is in those at its border.
    Grid(const QRectF& bounds, QSizeF cell)
        : origin_(bounds.topLeft()),
          columns_(std::clamp(static_cast<int>(bounds.width() / cell.width()), 1, kMaxSide)),
          rows_(std::clamp(static_cast<int>(bounds.height() / cell.height()), 1, kMaxSide)),
          scale_(columns_ / std::max(bounds.width(), 1.0), rows_ / std::max(bounds.height(), 1.0)),
          first_(static_cast<size_t>(columns_) * static_cast<size_t>(rows_), -1) {}

    void add(const QRectF& area, const T& item) {
        const int index = static_cast<int>(items_.size());
        items_.push_back(item);
        forCells(area, [&](int& first) {
            entries_.push_back({index, first});
            first = static_cast<int>(entries_.size()) - 1;
            return true;
        });
    }
    /// Whether an item in the cells of the area passes the test.
    template <typename F>
    bool hasAny(const QRectF& area, F&& test) {
        return !forCells(area, [&](int first) {
            for (int at = first; at >= 0; at = entries_[static_cast<size_t>(at)].next)
                if (test(items_[static_cast<size_t>(entries_[static_cast<size_t>(at)].item)]))
                    return false;
            return true;
        });
    }

private:
    static constexpr int kMaxSide = 1024;

    /// An item in a cell.
    struct Entry {
        int item;
        int next;  ///< entry of the same cell; -1: none
    };

    /// Stops at the first call that returns false.
    template <typename F>
    bool forCells(const QRectF& area, F&& call) {
        const auto cellOf = [](double distance, double scale, int count) {
            return static_cast<int>(std::clamp(distance * scale, 0.0, count - 1.0));
        };
        const int left = cellOf(area.left() - origin_.x(), scale_.x(), columns_);
        const int right = cellOf(area.right() - origin_.x(), scale_.x(), columns_);
        const int bottom = cellOf(area.bottom() - origin_.y(), scale_.y(), rows_);
        for (int y = cellOf(area.top() - origin_.y(), scale_.y(), rows_); y <= bottom; ++y)
            for (int x = left; x <= right; ++x)
                if (!call(first_[static_cast<size_t>(y) * static_cast<size_t>(columns_) +
                                 static_cast<size_t>(x)]))
                    return false;
        return true;
    }

    QPointF origin_;
    int columns_, rows_;
    QPointF scale_;           ///< from scene units to cells
    std::vector<int> first_;  ///< entry by cell; -1: none
    std::vector<Entry> entries_;
    std::vector<T> items_;
};

/// The part of an edge between two layers.
struct Bend {
    const GraphEdge* edge;
    QPointF from, to;

    QRectF bounds() const { return QRectF(from, to).normalized().adjusted(-1, -1, 1, 1); }
};

/// Whether the bend enters the area: it moves steadily along and across the flow.
bool bendEnters(const QRectF& area, const Bend& bend, bool horizontal) {
    const auto along = [=](QPointF point) { return horizontal ? point.x() : point.y(); };
    const auto across = [=](QPointF point) { return horizontal ? point.y() : point.x(); };
    const double at = along(bend.from), way = along(bend.to) - at;
    const double low = along(area.topLeft()), high = along(area.bottomRight());
    double enter = 0, leave = 1;
    if (way != 0) {
        const auto [first, second] = std::minmax({(low - at) / way, (high - at) / way});
        enter = std::max(enter, first);
        leave = std::min(leave, second);
    } else if (at < low || at > high) {
        return false;
    }
    if (enter > leave) return false;
    const auto [least, most] = std::minmax({across(bendAt(bend.from, bend.to, enter, horizontal)),
                                            across(bendAt(bend.from, bend.to, leave, horizontal))});
    return least <= across(area.bottomRight()) && most >= across(area.topLeft());
}

/// What labels must not cover.
class Obstacles {
public:
    explicit Obstacles(const GraphDrawing& drawing)
        : horizontal_(drawing.fold.horizontal),
          apart_(kApart * drawing.metrics.lineHeight),
          rects_(drawing.bounds, kCell * drawing.metrics.lineHeight),
          bends_(drawing.bounds, kCell * drawing.metrics.lineHeight) {
        for (const GraphBox& box : drawing.boxes)
            if (!box.open) add(box.rect);
        for (const GraphEdge& edge : drawing.edges) {
            for (size_t i = 1; i < edge.points.size(); ++i) {
                const Bend bend{&edge, edge.points[i - 1], edge.points[i]};
                bends_.add(bend.bounds(), bend);
            }
        }
    }

    void add(const QRectF& rect) { rects_.add(rect, rect); }
    /// `own`: the edge that may be covered, or none.
    bool leaveFree(const QRectF& label, const GraphEdge* own) {
        const auto overlaps = [&](const QRectF& rect) { return rect.intersects(label); };
        if (rects_.hasAny(label, overlaps)) return false;
        const QRectF around = label.adjusted(-apart_, -apart_, apart_, apart_);
        return !bends_.hasAny(around, [&](const Bend& bend) {
            return bend.edge != own && bendEnters(around, bend, horizontal_);
        });
    }

private:
    bool horizontal_;
    double apart_;
    Grid<QRectF> rects_;
    Grid<Bend> bends_;
};

/// For edges from top to bottom: to the right and left of the arrow, of the start, of bends; then
/// on the edge, at its start. Returns: the first place that fits.
template <typename F>
std::optional<QPointF> placeBeside(const GraphEdge& edge, double wide, double line, F&& fits) {
    std::optional<QPointF> place;
    const auto fitsAt = [&](QPointF baseline) {
        if (fits(baseline)) place = baseline;
        return place.has_value();
    };
    const auto fitsBeside = [&](QPointF point) {
        return fitsAt(point + QPointF(kBeside * line, 0)) ||
               fitsAt(point - QPointF(kBeside * line + wide, 0));
    };
    const QPointF start = edge.points.front() + QPointF(0, (kBelowBox + kAscent) * line);
    if (fitsBeside(edge.points.back() - QPointF(0, kFromBox * line)) || fitsBeside(start))
        return place;
    for (size_t i = edge.points.size() - 1; i > 0; --i)
        for (const double part : {0.75, 0.5, 0.25})
            if (fitsBeside(bendAt(edge.points[i - 1], edge.points[i], part, false))) return place;
    for (const double part : {0.5, 0.25, 0.75})
        if (fitsAt(start - QPointF(part * wide, 0))) return place;
    return place;
}

/// For edges from left to right: above the parts of the edge that are long enough, the last first.
/// Returns: the first place that fits.
template <typename F>
std::optional<QPointF> placeAbove(const GraphEdge& edge, double wide, double line, F&& fits) {
    for (size_t i = edge.points.size() - 1; i > 0; --i) {
        const QPointF to = edge.points[i], from = edge.points[i - 1];
        if (wide >= std::abs(to.x() - from.x())) continue;
        for (const double y : {to.y(), from.y()}) {
            const QPointF place((from.x() + to.x() - wide) / 2, y - 0.3 * line);
            if (fits(place)) return place;
        }
    }
    return std::nullopt;
}

QRectF labelRect(QPointF baseline, double wide, double line) {
    return {baseline.x(), baseline.y() - kAscent * line, wide, kHeight * line};
}

/// The first place that covers nothing, else the first that covers only the edge itself.
std::optional<QPointF> labelPlace(const GraphEdge& edge, const GraphDrawing& drawing,
                                  Obstacles& obstacles) {
    const double line = drawing.metrics.lineHeight;
    const double wide = drawing.metrics.textWidth(edge.label);
    for (const GraphEdge* own : {static_cast<const GraphEdge*>(nullptr), &edge}) {
        const auto fits = [&](QPointF place) {
            return obstacles.leaveFree(labelRect(place, wide, line), own);
        };
        const auto place = drawing.fold.horizontal ? placeAbove(edge, wide, line, fits)
                                                   : placeBeside(edge, wide, line, fits);
        if (place) return place;
    }
    return std::nullopt;
}

}  // namespace

QPointF bendAt(QPointF from, QPointF to, double part, bool horizontal) {
    const double eased = part * part * (3 - 2 * part);
    const QPointF way = to - from;
    return horizontal ? from + QPointF(part * way.x(), eased * way.y())
                      : from + QPointF(eased * way.x(), part * way.y());
}

QRectF edgeLabelRect(const GraphEdge& edge, const DrawingMetrics& metrics) {
    return labelRect(*edge.labelAt, metrics.textWidth(edge.label), metrics.lineHeight);
}

void placeEdgeLabels(GraphDrawing& drawing) {
    const auto isLabelled = [](const GraphEdge& edge) { return !edge.label.isEmpty(); };
    if (std::ranges::none_of(drawing.edges, isLabelled)) return;
    Obstacles obstacles(drawing);
    for (GraphEdge& edge : drawing.edges) {
        if (!isLabelled(edge)) continue;
        edge.labelAt = labelPlace(edge, drawing, obstacles);
        if (edge.labelAt) obstacles.add(edgeLabelRect(edge, drawing.metrics));
    }
}

}  // namespace temper::ui
