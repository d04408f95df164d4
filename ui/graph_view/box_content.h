// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph_view/graph_drawing.h"

namespace temper::ui {

BoxKind kindOf(OperatorFamily family);

/// The text of the box of a node, a closed or open group, an input or output.
GraphBox nodeBox(const GraphDocument& document, int node, const GraphFold& fold);
GraphBox groupBox(const GraphDocument& document, int group, const GraphFold& fold);
GraphBox portBox(BoxKind kind, const Value& value);

/// An operator, or words with operators, as people read them: without the domain of nodes that
/// stand for a fault of the file.
QString operatorName(const std::string& words);

/// "8 × 3" for the values that flow; empty if the shape is unknown.
QString flowLabel(const std::vector<const Value*>& values);

/// Size of a box that is not an open group.
QSizeF sizeOf(const GraphBox& box, const DrawingMetrics& metrics);

/// Height of the line with an open group's name.
double headerHeight(const DrawingMetrics& metrics);
/// Width that the line needs.
double headerWidth(const GraphBox& box, const DrawingMetrics& metrics);

/// Places of the lines of text in a box, for painting and for clicks.
struct BoxLines {
    QRectF title;
    QRectF subtitle;
    std::vector<QRectF> lines;
    QRectF badge;  ///< "+14 shape operations"
};
BoxLines linesOf(const GraphBox& box, const DrawingMetrics& metrics);

}  // namespace temper::ui
