// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QRectF>
#include <map>
#include <set>

#include "engine/core/error.h"
#include "ui/graph_view/graph_overlay.h"

class QPainter;

namespace temper::ui {

struct Colors;

/// What is painted in addition to a drawing's boxes and edges.
struct GraphLook {
    Overlay overlay;
    std::map<int, Severity> findings;  ///< by node
    std::set<int> path;                ///< nodes of the shown path
    std::set<int> hits;                ///< nodes found by a search
    int selected = -1;                 ///< box
};

/// Paints the part of a GraphDrawing that is visible, in the detail that can be distinguished at
/// this size. For the screen and for pictures.
class GraphPainter {
public:
    GraphPainter(const GraphDrawing& drawing, const GraphLook& look, const Colors& colors,
                 const QFont& font);

    /// `painter` is set up for the scene; `zoom` is the number of pixels per scene unit.
    void paint(QPainter& painter, const QRectF& visible, double zoom) const;
    /// Paints an overview: small and without text.
    void paintOverview(QPainter& painter) const;

private:
    enum class Detail { Far, Middle, Near };

    void paintFrames(QPainter& painter, const QRectF& visible, Detail detail) const;
    void paintEdges(QPainter& painter, const QRectF& visible, Detail detail) const;
    void paintEdge(QPainter& painter, const GraphEdge& edge, const QRectF& visible, Detail detail,
                   double zoom) const;
    void paintEdgeLabels(QPainter& painter, const QRectF& visible) const;
    void paintBoxes(QPainter& painter, const QRectF& visible, Detail detail) const;
    void paintBox(QPainter& painter, size_t index) const;
    void paintFar(QPainter& painter, const QRectF& visible) const;
    void paintText(QPainter& painter, size_t index) const;
    void paintHeader(QPainter& painter, size_t index) const;
    void paintBadges(QPainter& painter, size_t index) const;
    void paintMark(QPainter& painter, size_t index) const;
    void drawElided(QPainter& painter, const QRectF& rect, const QString& text, bool title) const;

    QColor fillOf(size_t index) const;
    QColor farColorOf(size_t index) const;
    QPen borderOf(size_t index) const;
    bool isNear(const GraphEdge& edge) const;
    bool isOnPath(const GraphEdge& edge) const;
    bool boxHas(const GraphBox& box, const std::set<int>& nodes) const;

    const GraphDrawing& drawing_;
    const GraphLook& look_;
    const Colors& colors_;
    QFont title_;
    QFont small_;
    std::vector<bool> onPath_;  ///< by box
    std::vector<bool> hit_;
    mutable double zoom_ = 1;
};

/// The title's and the small text's font in a drawing; metrics must be of the same font.
QFont drawingTitleFont(const QFont& font);
QFont drawingTextFont(const QFont& font);
DrawingMetrics metricsFor(const QFont& font);

/// A mark whose shape says the same as its colour: a full dot trains, a ring is frozen, half a dot
/// is both, a cross is blocked; a bar across a dot stops gradients.
void paintTrainingMark(QPainter& painter, QPointF center, double radius, TrainingMark mark,
                       const Colors& colors);

}  // namespace temper::ui
