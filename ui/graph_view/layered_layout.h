// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <stop_token>
#include <vector>

namespace temper::ui {

/// An edge between two boxes, by number. It leaves and enters at these distances from the middle
/// of the boxes.
struct LayoutEdge {
    int from = 0;
    int to = 0;
    double fromOffset = 0;
    double toOffset = 0;
};

/// A directed graph to draw. The order of the boxes breaks ties: a topological order is best.
struct LayoutInput {
    std::vector<QSizeF> sizes;
    std::vector<LayoutEdge> edges;
    std::vector<int> first;  ///< boxes that make up the first layer, if any
    std::vector<int> last;   ///< boxes that make up the last layer, if any
    double layerGap = 40;
    double boxGap = 24;
    double edgeGap = 10;  ///< between edges that pass a layer side by side
};

/// The positions of boxes and edges; edges run downwards from layer to layer.
struct LayoutResult {
    std::vector<QRectF> boxes;
    std::vector<std::vector<QPointF>> edges;  ///< in the order of LayoutInput::edges
    QRectF bounds;                            ///< of boxes and edges
};

/// A layered drawing (Sugiyama, Tagawa, Toda 1981): layers by longest path, crossings reduced by
/// barycentre sweeps, positions by Brandes and Köpf (2002), so that edges across several layers are
/// straight. Long edges with the same origin share their route. Edges that close a cycle are drawn
/// upwards. The same input gives the same drawing. Returns early, with the current state, when
/// `stop` is requested. Thread: any.
LayoutResult layoutLayers(const LayoutInput& input, std::stop_token stop = {});

}  // namespace temper::ui
