// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "ui/graph_view/graph_document.h"

namespace temper::ui {

/// What a box represents; determines its colour.
enum class BoxKind {
    Input,
    Output,
    Linear,
    Activation,
    Normalization,
    Pooling,
    Shape,
    Other,
    Group
};

struct GraphBox {
    BoxKind kind = BoxKind::Other;
    QString title;      ///< operator, name of the input, name of the group
    QString subtitle;   ///< weight shape, kernel size, ... or type
    QString className;  ///< of a group that is a module: its class
    QStringList lines;  ///< attributes and weights, if requested
    int node = -1;      ///< index in the outline; -1 for inputs, outputs and groups
    int group = -1;
    const Value* value = nullptr;  ///< of an input or output of the graph
    int parent = -1;               ///< box of the open group around it
    bool open = false;             ///< a group that shows its contents
    int repeats = 1;
    int alike = 1;  ///< groups of this structure
    int structure = 0;
    int shapeNodes = 0;  ///< hidden nodes that prepare shapes for it
    QRectF rect;
};

struct GraphEdge {
    int from = 0;
    int to = 0;
    std::vector<const Value*> values;
    std::vector<QPointF> points;
    QString label;                   ///< shape of the flowing values
    std::optional<QPointF> labelAt;  ///< left end of its baseline; none: no room
    QRectF bounds;
};

/// The size of letters, in scene units, as the painter uses them.
struct DrawingMetrics {
    std::array<float, 128> titleWidths{};  ///< by ASCII character
    std::array<float, 128> textWidths{};
    double lineHeight = 16;

    /// Metrics for letters of a fixed width.
    static DrawingMetrics fixed(double letter, double lineHeight);
    double titleWidth(const QString& text) const { return widthOf(text, titleWidths); }
    double textWidth(const QString& text) const { return widthOf(text, textWidths); }
    bool operator==(const DrawingMetrics&) const = default;

private:
    static double widthOf(const QString& text, const std::array<float, 128>& widths);
};

struct GroupLayout;

/// A document laid out, ready for painting; immutable.
struct GraphDrawing {
    std::shared_ptr<const GraphDocument> document;
    GraphFold fold;
    DrawingMetrics metrics;
    std::vector<GraphBox> boxes;  ///< groups before their contents
    std::vector<GraphEdge> edges;
    QRectF bounds;
    /// By open group: layouts that a later drawing of the same document may reuse.
    std::map<int, std::shared_ptr<const GroupLayout>> layouts;

    /// The box that shows a node: its own or that of the closed group around it; -1 for a hidden
    /// shape node without one.
    int boxOfNode(int node) const;
    int boxOfGroup(int group) const;
    /// The parameters that a box represents.
    std::vector<const Value*> parametersOf(const GraphBox& box) const;
    /// The nodes that a box represents: for an input those that read it, for an output its
    /// producer.
    std::vector<const Node*> nodesOf(const GraphBox& box) const;
};

/// Boxes for the nodes, closed groups, inputs and outputs of a graph, laid out. Initializers are
/// part of the boxes that read them. Unchanged parts of `previous`, a drawing of the same document,
/// are reused. Thread: any.
std::shared_ptr<const GraphDrawing> drawGraph(std::shared_ptr<const GraphDocument> document,
                                              const GraphFold& fold, const DrawingMetrics& metrics,
                                              const GraphDrawing* previous = nullptr,
                                              std::stop_token stop = {});

}  // namespace temper::ui
