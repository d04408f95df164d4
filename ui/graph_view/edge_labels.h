// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph_view/graph_drawing.h"

namespace temper::ui {

/// Finds a place beside its edge for each label: beside the arrow, else where the edge begins or
/// halfway. A label that would lie over another one or over a box everywhere is left out.
void placeEdgeLabels(GraphDrawing& drawing);

/// What a placed label covers, in scene units.
QRectF edgeLabelRect(const GraphEdge& edge, const DrawingMetrics& metrics);

}  // namespace temper::ui
