// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/layered_layout.h"

#include <algorithm>
#include <cmath>

#include "ui/graph_view/index.h"
#include "ui/graph_view/layer_network.h"

namespace temper::ui {
namespace {

/// Gap after a layer of height zero, as a share of the usual gap.
constexpr double kPortGap = 0.5;
/// Of an edge through several layers, after those were left out where it does not turn.
constexpr size_t kUsualPoints = 4;

std::vector<double> layerHeights(const LayerNetwork& network, const LayoutInput& input) {
    std::vector<double> heights(network.rows.size(), 0);
    for (size_t r = 0; r < network.rows.size(); ++r)
        for (const int item : network.rows[r])
            if (!network.isPassage(item))
                heights[r] = std::max(heights[r], input.sizes[at(item)].height());
    return heights;
}

/// Upper borders of the layers, and one after the last.
std::vector<double> layerTops(const std::vector<double>& heights, const LayoutInput& input) {
    std::vector<double> tops(heights.size() + 1, 0);
    for (size_t r = 0; r < heights.size(); ++r) {
        const double height = heights[r];
        // A layer of only ports needs no room for arrows on both sides.
        tops[r + 1] = tops[r] + height + (height > 0 ? 1 : kPortGap) * input.layerGap;
    }
    return tops;
}

class Router {
public:
    Router(const LayerNetwork& network, const LayoutInput& input, const std::vector<double>& x)
        : network_(network),
          input_(input),
          x_(x),
          heights_(layerHeights(network, input)),
          tops_(layerTops(heights_, input)) {}

    LayoutResult run() {
        result_.boxes.reserve(at(network_.boxes));
        result_.edges.reserve(input_.edges.size());
        for (int box = 0; box < network_.boxes; ++box) result_.boxes.push_back(rectOf(box));
        for (size_t e = 0; e < input_.edges.size(); ++e) result_.edges.push_back(route(e));
        for (const QRectF& box : result_.boxes) extend(box.topLeft(), box.bottomRight());
        for (const auto& points : result_.edges)
            for (const QPointF& point : points) extend(point, point);
        if (!result_.boxes.empty()) result_.bounds = QRectF(first_, last_);
        return std::move(result_);
    }

private:
    double bottomOf(size_t layer) const { return tops_[layer] + heights_[layer]; }

    QRectF rectOf(int box) const {
        const QSizeF size = input_.sizes[at(box)];
        const size_t layer = at(network_.layer[at(box)]);
        const double height = bottomOf(layer) - tops_[layer];
        return {x_[at(box)] - size.width() / 2, tops_[layer] + (height - size.height()) / 2,
                size.width(), size.height()};
    }

    /// Points where the direction does not change are left out.
    static void append(std::vector<QPointF>& points, QPointF point) {
        const size_t count = points.size();
        const auto straight = [&](double x) { return std::abs(x - point.x()) < 1e-6; };
        if (count >= 2 && straight(points[count - 1].x()) && straight(points[count - 2].x())) {
            points.back() = point;
        } else {
            points.push_back(point);
        }
    }

    std::vector<QPointF> route(size_t e) const {
        const std::vector<int>& path = network_.paths[e];
        const LayoutEdge& edge = input_.edges[e];
        const bool reversed = network_.reversed[e];
        const QRectF& upper = result_.boxes[at(path.front())];
        const QRectF& lower = result_.boxes[at(path.back())];
        std::vector<QPointF> points;
        points.reserve(std::min<size_t>(2 * path.size() - 2, kUsualPoints));
        append(points,
               {upper.center().x() + (reversed ? edge.toOffset : edge.fromOffset), upper.bottom()});
        for (size_t i = 1; i + 1 < path.size(); ++i) {
            const size_t layer = at(network_.layer[at(path[i])]);
            append(points, {x_[at(path[i])], tops_[layer]});
            append(points, {x_[at(path[i])], bottomOf(layer)});
        }
        append(points,
               {lower.center().x() + (reversed ? edge.fromOffset : edge.toOffset), lower.top()});
        if (reversed) std::reverse(points.begin(), points.end());
        return points;
    }

    void extend(QPointF low, QPointF high) {
        first_ = {std::min(first_.x(), low.x()), std::min(first_.y(), low.y())};
        last_ = {std::max(last_.x(), high.x()), std::max(last_.y(), high.y())};
    }

    const LayerNetwork& network_;
    const LayoutInput& input_;
    const std::vector<double>& x_;
    std::vector<double> heights_;
    std::vector<double> tops_;
    LayoutResult result_;
    QPointF first_{1e300, 1e300};
    QPointF last_{-1e300, -1e300};
};

}  // namespace

LayoutResult layoutLayers(const LayoutInput& input, std::stop_token stop) {
    LayerNetwork network = makeLayerNetwork(input);
    reduceCrossings(network, stop);
    const std::vector<double> x = placeItems(network, input.boxGap, input.edgeGap);
    return Router(network, input, x).run();
}

}  // namespace temper::ui
