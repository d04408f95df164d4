// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_view.h"

#include <QApplication>
#include <QEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/graph_view/box_content.h"
#include "ui/graph_view/graph_accessible.h"
#include "ui/messages/problem.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

constexpr double kMinZoom = 0.002;
constexpr double kMaxZoom = 4;
constexpr double kMaxFitZoom = 1.25;
/// Below this zoom, a model is shown from its beginning.
constexpr double kReadableZoom = 0.55;
constexpr double kMargin = 1.5;  ///< around the whole, in lines of text

}  // namespace

GraphView::GraphView(QWidget* parent) : QWidget(parent) {
    installGraphAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(em(this, 12), em(this, 10));
    setAccessibleName(tr("Graph of the model"));
    setAccessibleDescription(tr("The table of nodes has the same content."));
}

GraphView::~GraphView() = default;

void GraphView::setDrawing(std::shared_ptr<const GraphDrawing> drawing, int anchor) {
    const auto before = std::exchange(drawing_, std::move(drawing));
    const int selected = std::exchange(look_.selected, -1);
    const bool same = before && drawing_ && before->document == drawing_->document;
    if (!same) {
        look_.path.clear();
        look_.hits.clear();
    }
    setFindings(std::map<std::string, Severity>(findings_));
    refreshOverlay();
    if (same) {
        if (selected >= 0)
            look_.selected = sameBox(*drawing_, before->boxes[static_cast<size_t>(selected)]);
        keepPlace(*before, anchor);
    } else {
        fit();
        showBeginning();
    }
    emit drawingChanged();
    if (look_.selected != selected || !same) emit boxSelected(look_.selected);
    moved();
}

int GraphView::sameBox(const GraphDrawing& drawing, const GraphBox& box) const {
    if (box.node >= 0) return drawing.boxOfNode(box.node);
    if (box.group >= 0) return drawing.boxOfGroup(box.group);
    for (size_t i = 0; i < drawing.boxes.size(); ++i)
        if (drawing.boxes[i].value == box.value && drawing.boxes[i].kind == box.kind)
            return static_cast<int>(i);
    return -1;
}

int GraphView::boxNearMiddle(const GraphDrawing& drawing) const {
    int best = -1;
    double nearest = std::numeric_limits<double>::max();
    for (size_t i = 0; i < drawing.boxes.size(); ++i) {
        if (drawing.boxes[i].open) continue;
        const double distance = (drawing.boxes[i].rect.center() - center_).manhattanLength();
        if (distance >= nearest) continue;
        nearest = distance;
        best = static_cast<int>(i);
    }
    return best;
}

void GraphView::keepPlace(const GraphDrawing& before, int anchor) {
    if (fits_) return fit();
    int old = anchor >= 0 ? before.boxOfGroup(anchor) : -1;
    if (old < 0 && look_.selected >= 0)
        old = sameBox(before, drawing_->boxes[static_cast<size_t>(look_.selected)]);
    if (old < 0) old = boxNearMiddle(before);
    if (old < 0) return;
    const GraphBox& from = before.boxes[static_cast<size_t>(old)];
    const int now = sameBox(*drawing_, from);
    if (now < 0) return;
    // The upper middle: the place of a group's name, open or closed.
    const auto place = [](const QRectF& rect) { return QPointF(rect.center().x(), rect.top()); };
    center_ += place(drawing_->boxes[static_cast<size_t>(now)].rect) - place(from.rect);
}

void GraphView::setOverlay(OverlayKind kind) {
    overlayKind_ = kind;
    refreshOverlay();
}

void GraphView::setOverlayData(OverlayData values) {
    overlayData_ = std::move(values);
    refreshOverlay();
}

void GraphView::refreshOverlay() {
    look_.overlay = drawing_
                        ? makeOverlay(overlayKind_, *drawing_, overlayData_, colorsOf(palette()))
                        : Overlay();
    emit legendChanged();
    update();
}

void GraphView::setFindings(const std::map<std::string, Severity>& findings) {
    findings_ = findings;
    look_.findings.clear();
    if (!drawing_) return;
    for (const auto& [name, severity] : findings_)
        if (const int node = drawing_->document->nodeNamed(name); node >= 0)
            look_.findings[node] = severity;
    update();
}

void GraphView::setPath(std::set<int> nodes) {
    look_.path = std::move(nodes);
    update();
}

void GraphView::setHits(std::set<int> nodes) {
    look_.hits = std::move(nodes);
    update();
}

void GraphView::selectNode(int node) {
    const int box = drawing_ && node >= 0 ? drawing_->boxOfNode(node) : -1;
    if (box < 0) return;
    selectBox(box);
    bringIntoView(box);
}

void GraphView::selectBox(int box) {
    if (box == look_.selected) return;
    look_.selected = box;
    update();
    if (box >= 0) announceSelection(*this, box);
    emit boxSelected(box);
}

const GraphBox* GraphView::selected() const {
    return drawing_ && look_.selected >= 0 ? &drawing_->boxes[static_cast<size_t>(look_.selected)]
                                           : nullptr;
}

void GraphView::fit() {
    fits_ = true;
    if (drawing_ && !drawing_->bounds.isEmpty()) {
        const double margin = em(this, kMargin);
        const QRectF whole = QRectF(rect()).adjusted(margin, margin, -margin, -margin);
        fitInto(whole);
        // Beside the corner or above it, unless letters would be too small then.
        QRectF beside = whole, above = whole;
        beside.setLeft(corner_.right() + margin / 2);
        above.setBottom(corner_.top() - margin / 2);
        const QRectF& best = zoomToFit(beside) >= zoomToFit(above) ? beside : above;
        const bool staysReadable = zoomToFit(best) >= kReadableZoom || zoom_ < kReadableZoom;
        if (hasBoxUnderCorner() && staysReadable) fitInto(best);
    }
    moved();
}

double GraphView::zoomToFit(const QRectF& room) const {
    const QSizeF size = drawing_->bounds.size();
    return std::clamp(std::min(room.width() / size.width(), room.height() / size.height()),
                      kMinZoom, kMaxFitZoom);
}

void GraphView::fitInto(const QRectF& room) {
    zoom_ = zoomToFit(room);
    center_ = drawing_->bounds.center() - (room.center() - QRectF(rect()).center()) / zoom_;
}

bool GraphView::hasBoxUnderCorner() const {
    const QRectF scene(toScene(corner_.topLeft()), toScene(corner_.bottomRight()));
    return !corner_.isEmpty() && std::ranges::any_of(drawing_->boxes, [&](const GraphBox& box) {
        return box.rect.intersects(scene);
    });
}

void GraphView::keepFree(const QRect& corner) {
    if (corner_ == QRectF(corner)) return;
    corner_ = corner;
    if (fits_) fit();
}

void GraphView::zoomToFull() { zoomAround(QRectF(rect()).center(), 1 / zoom_); }

void GraphView::showBeginning() {
    if (!drawing_ || drawing_->boxes.empty() || zoom_ >= kReadableZoom) return;
    fits_ = false;
    zoom_ = kReadableZoom;
    // Inputs come first among the boxes.
    const QRectF first = drawing_->boxes.front().rect;
    const double margin = em(this, kMargin);
    center_ = drawing_->fold.horizontal
                  ? QPointF(first.left() + (width() / 2.0 - margin) / zoom_, first.center().y())
                  : QPointF(first.center().x(), first.top() + (height() / 2.0 - margin) / zoom_);
}

QPointF GraphView::toScene(const QPointF& position) const {
    return center_ + (position - QPointF(width() / 2.0, height() / 2.0)) / zoom_;
}

QPointF GraphView::toWidget(const QPointF& scene) const {
    return (scene - center_) * zoom_ + QPointF(width() / 2.0, height() / 2.0);
}

QRectF GraphView::visibleScene() const {
    return {toScene({0, 0}),
            toScene({static_cast<double>(width()), static_cast<double>(height())})};
}

QRect GraphView::boxRect(int box) const {
    const QRectF rect = drawing_->boxes[static_cast<size_t>(box)].rect;
    return QRectF(toWidget(rect.topLeft()), toWidget(rect.bottomRight())).toAlignedRect();
}

void GraphView::centerOn(const QPointF& scene) {
    center_ = scene;
    fits_ = false;
    moved();
}

void GraphView::setPlace(const GraphPlace& place) {
    if (place.fits) return fit();
    fits_ = false;
    zoom_ = std::clamp(place.zoom, kMinZoom, kMaxZoom);
    center_ = place.center;
    moved();
}

void GraphView::moved() {
    update();
    emit viewChanged();
}

int GraphView::boxAt(const QPointF& scene) const {
    if (!drawing_) return -1;
    // The contents of a group come after it.
    for (size_t i = drawing_->boxes.size(); i-- > 0;)
        if (drawing_->boxes[i].rect.contains(scene)) return static_cast<int>(i);
    return -1;
}

void GraphView::bringIntoView(int box) {
    const QRectF rect = drawing_->boxes[static_cast<size_t>(box)].rect;
    if (zoom_ < kReadableZoom) {
        zoom_ = 0.8;
        center_ = rect.center();
        fits_ = false;
    }
    if (!visibleScene().contains(rect) || corner_.intersects(boxRect(box))) {
        center_ = rect.center();
        fits_ = false;
    }
    moved();
}

void GraphView::zoomAround(const QPointF& position, double factor) {
    const QPointF before = toScene(position);
    zoom_ = std::clamp(zoom_ * factor, kMinZoom, kMaxZoom);
    center_ += before - toScene(position);
    fits_ = false;
    moved();
}

void GraphView::resizeEvent(QResizeEvent*) {
    if (fits_) fit();
    emit viewChanged();
}

void GraphView::wheelEvent(QWheelEvent* event) {
    zoomAround(event->position(), std::pow(1.0015, event->angleDelta().y()));
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    pressedCenter_ = center_;
    dragging_ = false;
    const QPointF scene = toScene(event->position());
    if (event->button() == Qt::LeftButton) clickBox(boxAt(scene), scene);
    if (event->button() == Qt::RightButton) selectBox(boxAt(scene));
}

void GraphView::clickBox(int box, const QPointF& scene) {
    selectBox(box);
    if (box < 0) return;
    const GraphBox& clicked = drawing_->boxes[static_cast<size_t>(box)];
    if (clicked.shapeNodes > 0 && linesOf(clicked, drawing_->metrics).badge.contains(scene))
        emit shapeNodesRequested(clicked.node);
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton) return;
    const QPointF distance = event->position() - pressed_;
    if (!dragging_ && distance.manhattanLength() < QApplication::startDragDistance()) return;
    dragging_ = true;
    fits_ = false;
    setCursor(Qt::ClosedHandCursor);
    center_ = pressedCenter_ - distance / zoom_;
    moved();
}

void GraphView::mouseReleaseEvent(QMouseEvent*) { unsetCursor(); }

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    const int box = boxAt(toScene(event->position()));
    if (event->button() != Qt::LeftButton || box < 0) return;
    selectBox(box);
    if (const int group = drawing_->boxes[static_cast<size_t>(box)].group; group >= 0)
        emit toggleRequested(group);
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
    if (!drawing_) return;
    QPoint place = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard && look_.selected >= 0)
        place = mapToGlobal(boxRect(look_.selected).intersected(rect()).center());
    emit menuRequested(look_.selected, place);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right: return walk(event->key());
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (selected() != nullptr && selected()->group >= 0)
                emit toggleRequested(selected()->group);
            return;
        case Qt::Key_Backspace: return closeAround();
        case Qt::Key_Escape: return selectBox(-1);
        case Qt::Key_Plus: return zoomIn();
        case Qt::Key_Minus: return zoomOut();
        case Qt::Key_0: return fit();
        case Qt::Key_1: return zoomToFull();
        default: break;
    }
    QWidget::keyPressEvent(event);
}

void GraphView::closeAround() {
    const GraphBox* box = selected();
    if (box == nullptr) return;
    const int around = box->open ? look_.selected : box->parent;
    if (around < 0) return;
    selectBox(around);
    emit toggleRequested(drawing_->boxes[static_cast<size_t>(around)].group);
}

void GraphView::walk(int key) {
    if (!drawing_ || drawing_->boxes.empty()) return;
    int next = 0;
    if (look_.selected >= 0) {
        const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
        const bool forward = key == Qt::Key_Down || key == Qt::Key_Right;
        next = vertical != drawing_->fold.horizontal ? neighbour(forward) : besides(forward);
    }
    if (next < 0) return;
    selectBox(next);
    bringIntoView(next);
}

int GraphView::neighbour(bool along) const {
    for (const GraphEdge& edge : drawing_->edges) {
        if (along && edge.from == look_.selected) return edge.to;
        if (!along && edge.to == look_.selected) return edge.from;
    }
    return -1;
}

int GraphView::besides(bool forward) const {
    const GraphBox& from = *selected();
    int best = -1;
    double nearest = std::numeric_limits<double>::max();
    for (size_t i = 0; i < drawing_->boxes.size(); ++i) {
        const GraphBox& box = drawing_->boxes[i];
        QPointF way = box.rect.center() - from.rect.center();
        if (drawing_->fold.horizontal) way = way.transposed();
        if (box.parent != from.parent || std::abs(way.y()) > 1) continue;
        if (forward ? way.x() <= 1 : way.x() >= -1) continue;
        if (std::abs(way.x()) >= nearest) continue;
        nearest = std::abs(way.x());
        best = static_cast<int>(i);
    }
    return best;
}

QString GraphView::describe(int index) const {
    const GraphBox& box = drawing_->boxes[static_cast<size_t>(index)];
    QStringList parts{box.title};
    if (box.kind == BoxKind::Input) parts.prepend(tr("Input"));
    if (box.kind == BoxKind::Output) parts.prepend(tr("Output"));
    if (box.kind == BoxKind::Group) parts.prepend(box.open ? tr("Open group") : tr("Group"));
    if (box.repeats > 1) parts << tr("%1 equal parts").arg(box.repeats);
    if (!box.subtitle.isEmpty()) parts << box.subtitle;
    if (box.node >= 0 && !drawing_->document->node(box.node).name().empty())
        parts << text(drawing_->document->node(box.node).name());
    if (box.shapeNodes > 0) parts << tr("%n shape operations hidden", nullptr, box.shapeNodes);
    static const std::map<TrainingMark, const char*> marks{
        {TrainingMark::Trains, QT_TR_NOOP("trains")},
        {TrainingMark::Frozen, QT_TR_NOOP("frozen")},
        {TrainingMark::Mixed, QT_TR_NOOP("partly frozen")},
        {TrainingMark::Blocked, QT_TR_NOOP("no gradient")}};
    if (static_cast<size_t>(index) < look_.overlay.marks.size())
        if (const auto mark = marks.find(look_.overlay.marks[static_cast<size_t>(index)]);
            mark != marks.end())
            parts << tr(mark->second);
    if (look_.overlay.stops.contains(index)) parts << tr("gradients stop here");
    return parts.join(QStringLiteral(", "));
}

bool GraphView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !drawing_) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int box = boxAt(toScene(help->pos()));
    if (box < 0) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), describe(box), this);
    }
    return true;
}

void GraphView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) refreshOverlay();
    QWidget::changeEvent(event);
}

void GraphView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colors& colors = colorsOf(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? colors.accent : colors.border, 1));
    painter.setBrush(colors.surface);
    const double radius = em(this, 0.5);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    if (!drawing_) return;
    painter.setClipRect(rect().adjusted(2, 2, -2, -2));
    painter.translate(width() / 2.0, height() / 2.0);
    painter.scale(zoom_, zoom_);
    painter.translate(-center_);
    GraphPainter(*drawing_, look_, colors, font()).paint(painter, visibleScene(), zoom_);
}

}  // namespace temper::ui
