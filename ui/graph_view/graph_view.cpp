// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_view.h"

#include <QApplication>
#include <QEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

constexpr double kMinZoom = 0.01;
constexpr double kMaxZoom = 4;
constexpr double kMaxFitZoom = 1.25;
/// Below these, letters and details are too small to be read and not painted.
/// A model that would be smaller than this is shown from its beginning.
constexpr double kReadableZoom = 0.55;
constexpr double kTextZoom = 0.3;
constexpr double kLabelZoom = 0.75;
constexpr double kMargin = 24;

QColor kindColor(BoxKind kind, const Colors& colors) {
    switch (kind) {
        case BoxKind::Input:
        case BoxKind::Output: return colors.muted;
        case BoxKind::Linear: return colors.series[0];
        case BoxKind::Activation: return colors.series[1];
        case BoxKind::Normalization: return colors.series[3];
        case BoxKind::Pooling: return colors.series[2];
        case BoxKind::Shape: return colors.series[6];
        case BoxKind::Other: break;
    }
    return colors.series[5];
}

QPainterPath smoothPath(const std::vector<QPointF>& points) {
    QPainterPath path(points.front());
    for (size_t i = 1; i < points.size(); ++i) {
        const QPointF from = points[i - 1], to = points[i];
        if (qFuzzyCompare(from.x(), to.x())) {
            path.lineTo(to);
            continue;
        }
        const double half = (to.y() - from.y()) / 2;
        path.cubicTo(from + QPointF(0, half), to - QPointF(0, half), to);
    }
    return path;
}

QRectF boundsOf(const std::vector<QPointF>& points) {
    double left = points.front().x(), right = left;
    double top = points.front().y(), bottom = top;
    for (const QPointF& point : points) {
        left = std::min(left, point.x());
        right = std::max(right, point.x());
        top = std::min(top, point.y());
        bottom = std::max(bottom, point.y());
    }
    return {left - 1, top - 1, right - left + 2, bottom - top + 2};
}

}  // namespace

GraphView::GraphView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(200, 160);
    setAccessibleName(tr("Graph of the model"));
    setAccessibleDescription(tr("The table of nodes has the same content."));
}

DrawingMetrics GraphView::metrics() const {
    const QFontMetricsF letters(font());
    DrawingMetrics metrics;
    metrics.titleCharacter = letters.averageCharWidth() * 1.25;
    metrics.subtitleCharacter = letters.averageCharWidth() * 1.05;
    metrics.lineHeight = letters.height();
    return metrics;
}

void GraphView::setDrawing(std::shared_ptr<const GraphDrawing> drawing) {
    drawing_ = std::move(drawing);
    select(-1);
    fit();
    showBeginning();
}

void GraphView::setTrained(std::set<std::string> trained) {
    trained_ = std::move(trained);
    update();
}

void GraphView::setFindings(std::map<std::string, Severity> findings) {
    findings_ = std::move(findings);
    update();
}

void GraphView::selectNode(const std::string& node) {
    if (!drawing_) return;
    for (size_t i = 0; i < drawing_->boxes.size(); ++i) {
        if (drawing_->boxes[i].node != node || node.empty()) continue;
        select(static_cast<int>(i));
        bringIntoView(static_cast<int>(i));
        return;
    }
}

void GraphView::fit() {
    fits_ = true;
    if (drawing_ && !drawing_->bounds.isEmpty()) {
        const QRectF bounds = drawing_->bounds;
        const double x = (width() - 2 * kMargin) / bounds.width();
        const double y = (height() - 2 * kMargin) / bounds.height();
        zoom_ = std::clamp(std::min(x, y), kMinZoom, kMaxFitZoom);
        center_ = bounds.center();
    }
    update();
}

void GraphView::showBeginning() {
    if (!drawing_ || drawing_->boxes.empty() || zoom_ >= kReadableZoom) return;
    fits_ = false;
    zoom_ = kReadableZoom;
    // Inputs come first among the boxes.
    const QRectF first = drawing_->boxes.front().rect;
    center_ = {first.center().x(), first.top() + (height() / 2.0 - kMargin) / zoom_};
}

QPointF GraphView::toScene(const QPointF& position) const {
    return center_ + (position - QPointF(width() / 2.0, height() / 2.0)) / zoom_;
}

QRectF GraphView::visibleScene() const {
    return {toScene({0, 0}),
            toScene({static_cast<double>(width()), static_cast<double>(height())})};
}

int GraphView::boxAt(const QPointF& scene) const {
    if (!drawing_) return -1;
    for (size_t i = 0; i < drawing_->boxes.size(); ++i)
        if (drawing_->boxes[i].rect.contains(scene)) return static_cast<int>(i);
    return -1;
}

void GraphView::select(int box) {
    if (box == selected_) return;
    selected_ = box;
    update();
    emit boxSelected(box);
}

void GraphView::bringIntoView(int box) {
    const QRectF rect = drawing_->boxes[static_cast<size_t>(box)].rect;
    if (zoom_ < kTextZoom) zoom_ = 0.8;
    if (!visibleScene().contains(rect)) {
        center_ = rect.center();
        fits_ = false;
    }
    update();
}

void GraphView::zoomAround(const QPointF& position, double factor) {
    const QPointF before = toScene(position);
    zoom_ = std::clamp(zoom_ * factor, kMinZoom, kMaxZoom);
    center_ += before - toScene(position);
    fits_ = false;
    update();
}

void GraphView::resizeEvent(QResizeEvent*) {
    if (fits_) fit();
}

void GraphView::wheelEvent(QWheelEvent* event) {
    zoomAround(event->position(), std::pow(1.0015, event->angleDelta().y()));
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    pressedCenter_ = center_;
    dragging_ = false;
    if (event->button() == Qt::LeftButton) select(boxAt(toScene(event->position())));
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton) return;
    const QPointF moved = event->position() - pressed_;
    if (!dragging_ && moved.manhattanLength() < QApplication::startDragDistance()) return;
    dragging_ = true;
    fits_ = false;
    setCursor(Qt::ClosedHandCursor);
    center_ = pressedCenter_ - moved / zoom_;
    update();
}

void GraphView::mouseReleaseEvent(QMouseEvent*) { unsetCursor(); }

void GraphView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right: return walk(event->key());
        case Qt::Key_Plus: return zoomIn();
        case Qt::Key_Minus: return zoomOut();
        case Qt::Key_0: return fit();
        default: break;
    }
    QWidget::keyPressEvent(event);
}

void GraphView::walk(int key) {
    if (!drawing_ || drawing_->boxes.empty()) return;
    int next = 0;
    if (selected_ >= 0) {
        const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
        next = vertical ? neighbour(key == Qt::Key_Down) : besides(key == Qt::Key_Right);
    }
    if (next < 0) return;
    select(next);
    bringIntoView(next);
}

int GraphView::neighbour(bool below) const {
    for (const GraphEdge& edge : drawing_->edges) {
        if (below && edge.from == selected_) return edge.to;
        if (!below && edge.to == selected_) return edge.from;
    }
    return -1;
}

int GraphView::besides(bool right) const {
    const QPointF from = drawing_->boxes[static_cast<size_t>(selected_)].rect.center();
    int best = -1;
    double nearest = std::numeric_limits<double>::max();
    for (size_t i = 0; i < drawing_->boxes.size(); ++i) {
        const QPointF to = drawing_->boxes[i].rect.center() - from;
        if (std::abs(to.y()) > 1 || (right ? to.x() <= 1 : to.x() >= -1)) continue;
        if (std::abs(to.x()) >= nearest) continue;
        nearest = std::abs(to.x());
        best = static_cast<int>(i);
    }
    return best;
}

void GraphView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

void GraphView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colors& colors = colorsOf(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? colors.accent : colors.border, 1));
    painter.setBrush(colors.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
    if (!drawing_) return;
    painter.setClipRect(rect().adjusted(2, 2, -2, -2));
    painter.translate(width() / 2.0, height() / 2.0);
    painter.scale(zoom_, zoom_);
    painter.translate(-center_);
    const QRectF visible = visibleScene();
    paintEdges(painter, visible);
    paintBoxes(painter, visible);
}

void GraphView::paintEdges(QPainter& painter, const QRectF& visible) const {
    const Colors& colors = colorsOf(palette());
    const QColor pale = blend(colors.surface, colors.muted, 0.55);
    painter.setBrush(Qt::NoBrush);
    for (const GraphEdge& edge : drawing_->edges) {
        if (edge.points.size() < 2 || !boundsOf(edge.points).intersects(visible)) continue;
        const bool near = selected_ >= 0 && (edge.from == selected_ || edge.to == selected_);
        painter.setPen(QPen(near ? colors.accent : pale, near ? 2 : 1.2));
        if (zoom_ < kTextZoom) {
            painter.drawPolyline(edge.points.data(), static_cast<int>(edge.points.size()));
            continue;
        }
        painter.drawPath(smoothPath(edge.points));
        const QPointF tip = edge.points.back();
        const QPointF head[] = {tip, tip + QPointF(-4, -7), tip + QPointF(4, -7)};
        painter.save();
        painter.setBrush(near ? colors.accent : pale);
        painter.setPen(Qt::NoPen);
        painter.drawPolygon(head, 3);
        painter.restore();
        if (zoom_ >= kLabelZoom && !edge.label.isEmpty()) {
            QFont small = font();
            small.setPointSizeF(font().pointSizeF() * 0.8);
            painter.setFont(small);
            painter.setPen(colors.muted);
            const QPointF from = edge.points.front(), to = edge.points[1];
            painter.drawText((from + to) / 2 + QPointF(6, 4), edge.label);
        }
    }
}

void GraphView::paintBoxes(QPainter& painter, const QRectF& visible) const {
    for (size_t i = 0; i < drawing_->boxes.size(); ++i)
        if (drawing_->boxes[i].rect.adjusted(-8, -8, 8, 8).intersects(visible))
            paintBox(painter, static_cast<int>(i));
}

void GraphView::paintBox(QPainter& painter, int index) const {
    const GraphBox& box = drawing_->boxes[static_cast<size_t>(index)];
    const Colors& colors = colorsOf(palette());
    const QColor kind = kindColor(box.kind, colors);
    const bool port = box.kind == BoxKind::Input || box.kind == BoxKind::Output;
    const auto finding = findings_.find(box.node);
    QPen border(blend(colors.surface, kind, 0.6), 1.2);
    if (finding != findings_.end() && !box.node.empty())
        border = QPen(finding->second == Severity::Error ? colors.bad : colors.attention, 2.2);
    if (index == selected_) border = QPen(colors.accent, 2.6);
    painter.setPen(border);
    painter.setBrush(blend(colors.surface, kind, port ? 0.08 : 0.14));
    const double radius = port ? box.rect.height() / 2.4 : 6;
    painter.drawRoundedRect(box.rect, radius, radius);
    if (zoom_ < kTextZoom) return;

    const double line = metrics().lineHeight;
    QRectF inside = box.rect.adjusted(line * 0.6, 0, -line * 0.6, 0);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const auto elided = [&inside](const QFont& font, const QString& text) {
        return QFontMetricsF(font).elidedText(text, Qt::ElideRight, inside.width());
    };
    painter.setPen(colors.text);
    painter.setFont(bold);
    if (box.subtitle.isEmpty()) {
        painter.drawText(inside, Qt::AlignCenter, elided(bold, box.title));
    } else {
        const QRectF upper(inside.left(), inside.top() + line * 0.35, inside.width(), line * 1.1);
        painter.drawText(upper, Qt::AlignCenter, elided(bold, box.title));
        QFont small = font();
        small.setPointSizeF(font().pointSizeF() * 0.88);
        painter.setFont(small);
        painter.setPen(colors.muted);
        const QRectF lower(inside.left(), inside.top() + line * 1.4, inside.width(), line * 1.1);
        painter.drawText(lower, Qt::AlignCenter, elided(small, box.subtitle));
    }
    paintMark(painter, box);
}

void GraphView::paintMark(QPainter& painter, const GraphBox& box) const {
    if (box.parameters.empty()) return;
    const Colors& colors = colorsOf(palette());
    const bool trains = std::any_of(box.parameters.begin(), box.parameters.end(),
                                    [this](const auto& name) { return trained_.contains(name); });
    painter.setPen(QPen(trains ? colors.good : colors.muted, 1.6));
    painter.setBrush(trains ? QBrush(colors.good) : QBrush(colors.surface));
    painter.drawEllipse(QPointF(box.rect.right() - 9, box.rect.top() + 9), 3.4, 3.4);
}

}  // namespace temper::ui
