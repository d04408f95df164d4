// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph_view/graph_drawing.h"

namespace temper::ui {

/// A point of the bend between two layers; it leaves and arrives along the flow.
QPointF bendAt(QPointF from, QPointF to, double part, bool horizontal);

/// Finds a place beside its edge for each label: beside the arrow, else at the start of the edge or
/// halfway. A label that would overlap another label, a box or another edge at every place is left
/// out; one that overlaps only its own edge is not.
void placeEdgeLabels(GraphDrawing& drawing);

/// The area of a placed label, in scene units.
QRectF edgeLabelRect(const GraphEdge& edge, const DrawingMetrics& metrics);

}  // namespace temper::ui
