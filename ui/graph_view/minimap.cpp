// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/minimap.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/graph_view/graph_view.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {

Minimap::Minimap(GraphView* view) : QWidget(view), view_(view) {
    setAccessibleName(tr("Overview of the graph"));
    setCursor(Qt::PointingHandCursor);
    setToolTip(tr("Overview: click to go there"));
    view->installEventFilter(this);
    connect(view, &GraphView::drawingChanged, this, &Minimap::forget);
    connect(view, &GraphView::legendChanged, this, &Minimap::forget);
    connect(view, &GraphView::viewChanged, this, &Minimap::refresh);
    hide();
}

bool Minimap::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) refresh();
    return QWidget::eventFilter(watched, event);
}

void Minimap::forget() {
    picture_ = QImage();
    refresh();
}

void Minimap::refresh() {
    const auto& drawing = view_->drawing();
    const bool useful = drawing && !drawing->bounds.isEmpty() &&
                        !view_->visibleScene().contains(drawing->bounds) &&
                        view_->width() > em(view_, 24) && view_->height() > em(view_, 14);
    setVisible(useful);
    if (!useful) return;
    const double shape = drawing->bounds.height() / drawing->bounds.width();
    const double most = std::min(em(view_, 14.0), view_->height() / 2);
    const double tall = std::clamp(em(view_, 9.0) * shape, double(em(view_, 3.0)), most);
    const double wide = std::clamp(tall / shape, double(em(view_, 2.5)), double(em(view_, 9.0)));
    const QSize size = QSizeF(wide, tall).toSize() + QSize(6, 6);
    if (size != this->size()) picture_ = QImage();
    const int margin = em(view_, 0.5);
    setGeometry(QRect(
        QPoint(view_->width() - size.width() - margin, view_->height() - size.height() - margin),
        size));
    update();
}

double Minimap::scale() const {
    const QRectF bounds = view_->drawing()->bounds;
    return std::min((width() - 6) / bounds.width(), (height() - 6) / bounds.height());
}

QPointF Minimap::origin() const {
    return QRectF(rect()).center() - view_->drawing()->bounds.center() * scale();
}

void Minimap::render() {
    const double ratio = devicePixelRatioF();
    picture_ = QImage(size() * ratio, QImage::Format_ARGB32_Premultiplied);
    picture_.setDevicePixelRatio(ratio);
    picture_.fill(Qt::transparent);
    QPainter painter(&picture_);
    painter.translate(origin());
    painter.scale(scale(), scale());
    const Colors& colors = colorsOf(palette());
    GraphLook look;
    look.overlay = makeOverlay(view_->overlay(), *view_->drawing(), view_->overlayData(), colors);
    GraphPainter(*view_->drawing(), look, colors, font()).paintOverview(painter);
}

void Minimap::paintEvent(QPaintEvent*) {
    if (!view_->drawing()) return;
    if (picture_.isNull()) render();
    const Colors& colors = colorsOf(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = colors.window;
    ground.setAlphaF(0.92F);
    painter.setPen(QPen(colors.border, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.drawImage(QPointF(0, 0), picture_);
    const QRectF visible = view_->visibleScene().intersected(view_->drawing()->bounds);
    const QRectF frame(origin() + visible.topLeft() * scale(), visible.size() * scale());
    QColor veil = colors.accent;
    veil.setAlphaF(0.15F);
    painter.setPen(QPen(colors.accent, 1.4));
    painter.setBrush(veil);
    painter.drawRect(frame.intersected(QRectF(rect()).adjusted(1, 1, -1, -1)));
}

void Minimap::goTo(const QPointF& position) { view_->centerOn((position - origin()) / scale()); }

void Minimap::mousePressEvent(QMouseEvent* event) { goTo(event->position()); }

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) goTo(event->position());
}

}  // namespace temper::ui
