// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_painter.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/graph_view/box_content.h"
#include "ui/graph_view/edge_labels.h"
#include "ui/theme/colors.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

/// Minimum line height on the screen, in pixels, for drawing letters and rounded corners.
constexpr double kReadableLine = 7;
constexpr double kShapedLine = 3.5;
/// Length of the line segments of wide bends.
constexpr double kPiecePixels = 40;
/// Edge labels need more room than names.
constexpr double kLabelLine = 11;

/// The parts of an edge that are visible. Wide bends are cut into short lines: a rasterizer's time
/// grows with the square of a path's extent in a row of pixels.
void drawSmooth(QPainter& painter, const std::vector<QPointF>& points, const QRectF& visible,
                bool horizontal, double zoom) {
    for (size_t i = 1; i < points.size(); ++i) {
        const QPointF from = points[i - 1], to = points[i];
        const QRectF around = QRectF(from, to).normalized().adjusted(-2, -2, 2, 2);
        if (!around.intersects(visible)) continue;
        const double across = std::abs(horizontal ? to.y() - from.y() : to.x() - from.x());
        if (across < 0.5) {
            painter.drawLine(from, to);
            continue;
        }
        const int pieces = std::clamp(static_cast<int>(across * zoom / kPiecePixels), 10, 200);
        QPointF last = from;
        for (int piece = 1; piece <= pieces; ++piece) {
            const QPointF next = bendAt(from, to, static_cast<double>(piece) / pieces, horizontal);
            if (QRectF(last, next).normalized().adjusted(-2, -2, 2, 2).intersects(visible))
                painter.drawLine(last, next);
            last = next;
        }
    }
}

}  // namespace

QFont drawingTitleFont(const QFont& font) {
    QFont title = font;
    title.setWeight(QFont::DemiBold);
    return title;
}

QFont drawingTextFont(const QFont& font) {
    QFont small = font;
    if (font.pointSizeF() > 0) small.setPointSizeF(font.pointSizeF() * 0.88);
    return small;
}

DrawingMetrics metricsFor(const QFont& font) {
    DrawingMetrics metrics;
    const QFontMetricsF title(drawingTitleFont(font)), small(drawingTextFont(font));
    for (size_t c = 0; c < metrics.titleWidths.size(); ++c) {
        const QChar letter(static_cast<char16_t>(c));
        metrics.titleWidths[c] = static_cast<float>(title.horizontalAdvance(letter));
        metrics.textWidths[c] = static_cast<float>(small.horizontalAdvance(letter));
    }
    metrics.lineHeight = QFontMetricsF(font).height();
    return metrics;
}

void paintTrainingMark(QPainter& painter, QPointF center, double radius, TrainingMark mark,
                       const Colors& colors) {
    if (mark == TrainingMark::None) return;
    const QColor color = mark == TrainingMark::Frozen    ? colors.muted
                         : mark == TrainingMark::Stop    ? colors.attention
                         : mark == TrainingMark::Blocked ? colors.bad
                         : mark == TrainingMark::Mixed   ? colors.attention
                                                         : colors.good;
    painter.setPen(QPen(color, radius * 0.45));
    if (mark == TrainingMark::Blocked) {
        const QPointF arm(radius * 0.8, radius * 0.8), other(radius * 0.8, -radius * 0.8);
        painter.drawLine(center - arm, center + arm);
        painter.drawLine(center - other, center + other);
        return;
    }
    const bool isFull = mark == TrainingMark::Trains || mark == TrainingMark::Stop;
    painter.setBrush(isFull ? color : colors.surface);
    painter.drawEllipse(center, radius, radius);
    if (mark == TrainingMark::Stop) {
        painter.setPen(QPen(colors.surface, radius * 0.5));
        painter.drawLine(center - QPointF(radius * 0.6, 0), center + QPointF(radius * 0.6, 0));
        return;
    }
    if (mark != TrainingMark::Mixed) return;
    painter.setBrush(color);
    const QRectF circle(center - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius));
    painter.drawPie(circle, 90 * 16, 180 * 16);
}

GraphPainter::GraphPainter(const GraphDrawing& drawing, const GraphLook& look, const Colors& colors,
                           const QFont& font)
    : drawing_(drawing),
      look_(look),
      colors_(colors),
      title_(drawingTitleFont(font)),
      small_(drawingTextFont(font)),
      onPath_(drawing.boxes.size(), false),
      hit_(drawing.boxes.size(), false) {
    if (look.path.empty() && look.hits.empty()) return;
    for (size_t i = 0; i < drawing.boxes.size(); ++i) {
        onPath_[i] = boxHas(drawing.boxes[i], look.path);
        hit_[i] = boxHas(drawing.boxes[i], look.hits);
    }
}

bool GraphPainter::boxHas(const GraphBox& box, const std::set<int>& nodes) const {
    if (box.node >= 0) return nodes.contains(box.node);
    if (box.group < 0 || box.open) return false;
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](int node) { return drawing_.document->isInside(node, box.group); });
}

void GraphPainter::paint(QPainter& painter, const QRectF& visible, double zoom) const {
    zoom_ = zoom;
    const double line = zoom * drawing_.metrics.lineHeight;
    const Detail detail = line >= kReadableLine ? Detail::Near
                          : line >= kShapedLine ? Detail::Middle
                                                : Detail::Far;
    painter.setRenderHint(QPainter::Antialiasing, detail == Detail::Near);
    paintFrames(painter, visible, detail);
    paintEdges(painter, visible, detail);
    paintBoxes(painter, visible, detail);
}

void GraphPainter::paintOverview(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintFrames(painter, drawing_.bounds, Detail::Far);
    paintFar(painter, drawing_.bounds);
}

void GraphPainter::paintFrames(QPainter& painter, const QRectF& visible, Detail detail) const {
    const double radius = 0.5 * drawing_.metrics.lineHeight;
    for (size_t i = 0; i < drawing_.boxes.size(); ++i) {
        const GraphBox& box = drawing_.boxes[i];
        if (!box.open || !box.rect.intersects(visible)) continue;
        painter.setPen(borderOf(i));
        painter.setBrush(blend(colors_.surface, colors_.muted, 0.05));
        if (detail == Detail::Near) {
            painter.drawRoundedRect(box.rect, radius, radius);
        } else {
            painter.drawRect(box.rect);
        }
    }
}

void GraphPainter::paintEdges(QPainter& painter, const QRectF& visible, Detail detail) const {
    painter.setBrush(Qt::NoBrush);
    for (const GraphEdge& edge : drawing_.edges)
        if (edge.bounds.intersects(visible)) paintEdge(painter, edge, visible, detail, zoom_);
    if (detail == Detail::Near && zoom_ * drawing_.metrics.lineHeight >= kLabelLine)
        paintEdgeLabels(painter, visible);
}

bool GraphPainter::isNear(const GraphEdge& edge) const {
    return look_.selected >= 0 && (edge.from == look_.selected || edge.to == look_.selected);
}

bool GraphPainter::isOnPath(const GraphEdge& edge) const {
    return onPath_[static_cast<size_t>(edge.from)] && onPath_[static_cast<size_t>(edge.to)];
}

void GraphPainter::paintEdge(QPainter& painter, const GraphEdge& edge, const QRectF& visible,
                             Detail detail, double zoom) const {
    const bool near = isNear(edge), path = isOnPath(edge);
    const QColor color = path   ? colors_.series[1]
                         : near ? colors_.accent
                                : blend(colors_.surface, colors_.muted, 0.55);
    QPen pen(color, path ? 3 : near ? 2 : 1.2);
    if (detail != Detail::Near) {
        pen.setWidthF(path || near ? 2 : 1);
        pen.setCosmetic(true);
        painter.setPen(pen);
        painter.drawPolyline(edge.points.data(), static_cast<int>(edge.points.size()));
        return;
    }
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    drawSmooth(painter, edge.points, visible, drawing_.fold.horizontal, zoom);
    const QPointF tip = edge.points.back();
    if (!visible.adjusted(-8, -8, 8, 8).contains(tip)) return;
    const QPointF last = tip - edge.points[edge.points.size() - 2];
    const double side =
        drawing_.fold.horizontal ? (last.x() < 0 ? -1 : 1) : (last.y() < 0 ? -1 : 1);
    const QPointF along = (drawing_.fold.horizontal ? QPointF(7, 0) : QPointF(0, 7)) * side;
    const QPointF across = drawing_.fold.horizontal ? QPointF(0, 4) : QPointF(4, 0);
    const QPointF head[] = {tip, tip - along + across, tip - along - across};
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(head, 3);
}

void GraphPainter::paintEdgeLabels(QPainter& painter, const QRectF& visible) const {
    painter.setFont(small_);
    painter.setPen(colors_.muted);
    QColor veil = colors_.surface;  // over other edges
    veil.setAlphaF(0.75F);
    for (const GraphEdge& edge : drawing_.edges) {
        if (!edge.labelAt) continue;
        const QRectF rect = edgeLabelRect(edge, drawing_.metrics);
        if (!rect.intersects(visible)) continue;
        painter.fillRect(rect, veil);
        painter.drawText(*edge.labelAt, edge.label);
    }
}

void GraphPainter::paintBoxes(QPainter& painter, const QRectF& visible, Detail detail) const {
    if (detail != Detail::Near) {
        paintFar(painter, visible);
        return;
    }
    for (size_t i = 0; i < drawing_.boxes.size(); ++i) {
        const GraphBox& box = drawing_.boxes[i];
        if (!box.rect.adjusted(-8, -8, 8, 8).intersects(visible)) continue;
        if (box.open) {
            paintHeader(painter, i);
        } else {
            paintBox(painter, i);
        }
    }
}

/// Paints plain rectangles in the border colour, as only the border would remain visible.
void GraphPainter::paintFar(QPainter& painter, const QRectF& visible) const {
    for (size_t i = 0; i < drawing_.boxes.size(); ++i) {
        const GraphBox& box = drawing_.boxes[i];
        if (box.open || !box.rect.intersects(visible)) continue;
        painter.fillRect(box.rect, farColorOf(i));
    }
}

QColor GraphPainter::fillOf(size_t index) const {
    if (index >= look_.overlay.tints.size()) return colors_.surface;
    const BoxTint& tint = look_.overlay.tints[index];
    return blend(colors_.surface, tint.color, tint.strength);
}

QColor GraphPainter::farColorOf(size_t index) const {
    const bool marked = static_cast<int>(index) == look_.selected || onPath_[index] || hit_[index];
    if (marked || index >= look_.overlay.tints.size()) return borderOf(index).color();
    const BoxTint& tint = look_.overlay.tints[index];
    return blend(colors_.surface, tint.color, tint.farStrength);
}

QPen GraphPainter::borderOf(size_t index) const {
    const GraphBox& box = drawing_.boxes[index];
    if (static_cast<int>(index) == look_.selected) return QPen(colors_.accent, 2.6);
    if (onPath_[index]) return QPen(colors_.series[1], 2.6);
    if (hit_[index]) return QPen(colors_.accent, 1.8, Qt::DashLine);
    if (const auto found = look_.findings.find(box.node);
        found != look_.findings.end() && box.node >= 0)
        return QPen(found->second == Severity::Error ? colors_.bad : colors_.attention, 2.2);
    if (box.open) return QPen(blend(colors_.surface, colors_.muted, 0.4), 1.2, Qt::DashLine);
    const QColor tint =
        index < look_.overlay.tints.size() ? look_.overlay.tints[index].color : colors_.muted;
    return QPen(blend(colors_.surface, tint, 0.6), 1.2);
}

void GraphPainter::paintBox(QPainter& painter, size_t index) const {
    const GraphBox& box = drawing_.boxes[index];
    const bool port = box.kind == BoxKind::Input || box.kind == BoxKind::Output;
    const double line = drawing_.metrics.lineHeight;
    const double radius = port ? box.rect.height() / 2.4 : 0.38 * line;
    painter.setPen(borderOf(index));
    painter.setBrush(fillOf(index));
    if (box.kind == BoxKind::Group) {
        // A second sheet behind it shows that there is more inside.
        const QPointF behind(0.22 * line, 0.22 * line);
        painter.drawRoundedRect(box.rect.translated(behind), radius, radius);
    }
    painter.drawRoundedRect(box.rect, radius, radius);
    paintText(painter, index);
    paintBadges(painter, index);
    paintMark(painter, index);
}

void GraphPainter::drawElided(QPainter& painter, const QRectF& rect, const QString& text,
                              bool title) const {
    const double width =
        title ? drawing_.metrics.titleWidth(text) : drawing_.metrics.textWidth(text);
    painter.setFont(title ? title_ : small_);
    if (width <= rect.width()) {
        painter.drawText(rect, Qt::AlignCenter, text);
        return;
    }
    const QFontMetricsF letters(title ? title_ : small_);
    painter.drawText(rect, Qt::AlignCenter,
                     letters.elidedText(text, elideModeOf(text), rect.width()));
}

void GraphPainter::paintText(QPainter& painter, size_t index) const {
    const GraphBox& box = drawing_.boxes[index];
    BoxLines lines = linesOf(box, drawing_.metrics);
    if (box.repeats > 1) lines.title.adjust(0, 0, -2.2 * drawing_.metrics.lineHeight, 0);
    // On strong tints, only the text colour is readable.
    const bool strong =
        index < look_.overlay.tints.size() && look_.overlay.tints[index].strength > 0.4;
    painter.setPen(colors_.text);
    drawElided(painter, lines.title, box.title, true);
    painter.setPen(strong ? colors_.text : colors_.muted);
    const QString note =
        index < look_.overlay.tints.size() ? look_.overlay.tints[index].note : QString();
    const QString subtitle = note.isEmpty() ? box.subtitle : note;
    if (!lines.subtitle.isEmpty()) drawElided(painter, lines.subtitle, subtitle, false);
    for (size_t i = 0; i < lines.lines.size(); ++i)
        drawElided(painter, lines.lines[i], box.lines[static_cast<qsizetype>(i)], false);
}

void GraphPainter::paintHeader(QPainter& painter, size_t index) const {
    const GraphBox& box = drawing_.boxes[index];
    const double line = drawing_.metrics.lineHeight;
    const QRectF row = linesOf(box, drawing_.metrics).title;
    const double wide = std::min(row.width() - line, drawing_.metrics.titleWidth(box.title));
    QRectF chip(row.left(), row.top(), wide + 1.9 * line, row.height());
    if (box.repeats > 1) chip.setWidth(chip.width() + 2.2 * line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(blend(colors_.surface, colors_.muted, 0.14));
    painter.drawRoundedRect(chip, 0.3 * line, 0.3 * line);
    // The sign for closing.
    painter.setPen(QPen(colors_.muted, 1.6));
    const QPointF sign(chip.left() + 0.75 * line, chip.center().y());
    painter.drawLine(sign - QPointF(0.25 * line, 0), sign + QPointF(0.25 * line, 0));
    painter.setPen(colors_.text);
    drawElided(painter, QRectF(chip.left() + 1.3 * line, chip.top(), wide, chip.height()),
               box.title, true);
    if (box.repeats > 1) {
        painter.setPen(colors_.accent);
        drawElided(painter, QRectF(chip.right() - 2.2 * line, chip.top(), 2 * line, chip.height()),
                   QStringLiteral("×%1").arg(box.repeats), true);
    }
    const double room = row.right() - chip.right() - line;
    if (box.className.isEmpty() || room < 2 * line) return;
    painter.setPen(colors_.muted);
    const double classWide = std::min(room, drawing_.metrics.textWidth(box.className));
    drawElided(painter, QRectF(chip.right() + 0.5 * line, chip.top(), classWide + 1, chip.height()),
               box.className, false);
}

void GraphPainter::paintBadges(QPainter& painter, size_t index) const {
    const GraphBox& box = drawing_.boxes[index];
    const double line = drawing_.metrics.lineHeight;
    if (box.repeats > 1) {
        const QRectF badge(box.rect.right() - 2.9 * line, box.rect.top() + 0.35 * line, 2.3 * line,
                           1.1 * line);
        painter.setPen(Qt::NoPen);
        painter.setBrush(blend(colors_.surface, colors_.accent, 0.25));
        painter.drawRoundedRect(badge, 0.5 * line, 0.5 * line);
        painter.setPen(colors_.text);
        drawElided(painter, badge, QStringLiteral("×%1").arg(box.repeats), true);
    }
    if (box.shapeNodes > 0) {
        const QRectF badge = linesOf(box, drawing_.metrics).badge;
        painter.setPen(Qt::NoPen);
        painter.setBrush(blend(colors_.surface, colors_.muted, 0.2));
        painter.drawRoundedRect(badge, 0.4 * line, 0.4 * line);
        painter.setPen(colors_.text);
        drawElided(
            painter, badge,
            QCoreApplication::translate("temper::ui", "+%n shape ops", nullptr, box.shapeNodes),
            false);
    }
}

void GraphPainter::paintMark(QPainter& painter, size_t index) const {
    if (index >= look_.overlay.marks.size()) return;
    const double line = drawing_.metrics.lineHeight;
    const QRectF& rect = drawing_.boxes[index].rect;
    paintTrainingMark(painter, {rect.left() + 0.55 * line, rect.top() + 0.55 * line}, 0.22 * line,
                      look_.overlay.marks[index], colors_);
    if (!look_.overlay.stops.contains(static_cast<int>(index))) return;
    paintTrainingMark(painter, {rect.right() - 0.6 * line, rect.bottom() - 0.6 * line}, 0.34 * line,
                      TrainingMark::Stop, colors_);
}

}  // namespace temper::ui
