// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/ir/graph.h"
#include "ui/graph_view/layered_layout.h"

namespace temper::ui {

/// What a box stands for; decides its colour.
enum class BoxKind { Input, Output, Linear, Activation, Normalization, Pooling, Shape, Other };

struct GraphBox {
    BoxKind kind = BoxKind::Other;
    QString title;     ///< operator, or name of the input
    QString subtitle;  ///< weight shape, kernel size, ... or type
    std::string node;  ///< name of the node; empty for inputs and outputs
    std::vector<std::string> parameters;
    QRectF rect;
};

struct GraphEdge {
    int from = 0;
    int to = 0;
    std::vector<QPointF> points;
    QString label;  ///< shape of what flows
};

/// A graph laid out, ready to be painted; never changed.
struct GraphDrawing {
    std::vector<GraphBox> boxes;
    std::vector<GraphEdge> edges;
    QRectF bounds;
};

/// The size of letters, in scene units, as the painter will use them.
struct DrawingMetrics {
    double titleCharacter = 8;
    double subtitleCharacter = 7;
    double lineHeight = 16;
};

/// Boxes for the nodes, inputs and outputs of a graph, laid out. Initializers are part of the
/// boxes that read them. Thread: any.
std::shared_ptr<const GraphDrawing> drawGraph(const Graph& graph, const DrawingMetrics& metrics,
                                              std::stop_token stop = {});

}  // namespace temper::ui
