// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph_view/graph_drawing.h"

namespace temper::ui {

/// Finds a place beside its edge for each label: beside the arrow, else at the start of the edge or
/// halfway. A label that would overlap another label or a box at every place is left out.
void placeEdgeLabels(GraphDrawing& drawing);

/// The area of a placed label, in scene units.
QRectF edgeLabelRect(const GraphEdge& edge, const DrawingMetrics& metrics);

}  // namespace temper::ui
