// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <stop_token>
#include <utility>
#include <vector>

namespace temper::ui {

/// A directed graph to be drawn: boxes by size and edges between their numbers.
struct LayoutInput {
    std::vector<QSizeF> sizes;
    std::vector<std::pair<int, int>> edges;
    double layerGap = 40;
    double boxGap = 24;
};

/// Where everything goes; edges run downwards from layer to layer.
struct LayoutResult {
    std::vector<QRectF> boxes;
    std::vector<std::vector<QPointF>> edges;  ///< in the order of LayoutInput::edges
    QRectF bounds;
};

/// A layered drawing (Sugiyama, Tagawa, Toda 1981): layers by longest path, crossings reduced by
/// median sweeps, positions pulled towards neighbours. Edges that close a cycle are drawn upwards.
/// Returns early, with what there is, when `stop` is requested. Thread: any.
LayoutResult layoutLayers(const LayoutInput& input, std::stop_token stop = {});

}  // namespace temper::ui
