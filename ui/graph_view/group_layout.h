// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "ui/graph_view/graph_drawing.h"

namespace temper::ui {

/// The layout of an open group's contents. Coordinates are relative to the group's corner; x runs
/// across the flow and y along it, in either direction of the drawing.
struct GroupLayout {
    struct Item {
        GraphBox box;
        QRectF rect;
    };
    /// From item to item, or from or to the group's border (-1).
    struct Edge {
        int from = -1;
        int to = -1;
        std::vector<const Value*> values;
        std::vector<QPointF> points;
    };
    int group = 0;
    std::vector<Item> items;
    std::vector<Edge> edges;
    /// Crossing points of values at the border: distance from the middle.
    std::unordered_map<const Value*, double> entries;
    std::unordered_map<const Value*, double> exits;
    /// The edges that continue inside, by value.
    std::unordered_map<const Value*, std::vector<int>> fromEntry;
    std::unordered_map<const Value*, int> toExit;
    QSizeF size;
};

using GroupLayouts = std::map<int, std::shared_ptr<const GroupLayout>>;

/// Lays out an open group, after the open groups in it. Layouts already in `layouts` are reused;
/// new ones are added to it.
std::shared_ptr<const GroupLayout> layoutGroup(const GraphDocument& document, const GraphFold& fold,
                                               const DrawingMetrics& metrics, int group,
                                               GroupLayouts& layouts, const std::stop_token& stop);

}  // namespace temper::ui
