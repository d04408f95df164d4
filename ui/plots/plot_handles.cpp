// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_handles.h"

#include <qcustomplot.h>

#include <QEvent>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QStyleHints>
#include <cmath>

#include "ui/theme/colors.h"

namespace temper::ui {

/// Draws the rings.
class HandleItem : public QCPAbstractItem {
public:
    explicit HandleItem(QCustomPlot* plot) : QCPAbstractItem(plot) { setClipToAxisRect(false); }

    std::vector<PlotHandle> handles;
    std::optional<size_t> pointedAt;
    Colors colors = lightColors();

    double radius() const { return QFontMetricsF(parentPlot()->font()).height() * 0.36; }
    QPointF pixelOf(const PlotHandle& handle) const {
        return {parentPlot()->xAxis->coordToPixel(handle.x),
                parentPlot()->yAxis->coordToPixel(handle.y)};
    }
    /// Whether the handle is in the visible range: zooming may have moved it out.
    bool isSeen(const PlotHandle& handle) const {
        return QRectF(parentPlot()->axisRect()->rect())
            .marginsAdded(QMarginsF(2, 2, 2, 2))
            .contains(pixelOf(handle));
    }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override {
        for (size_t i = 0; i < handles.size(); ++i) {
            if (!isSeen(handles[i])) continue;
            const bool isPointedAt = pointedAt == i;
            painter->setPen(QPen(colors.accent, radius() * 0.45));
            painter->setBrush(isPointedAt ? colors.accent : colors.surface);
            const double size = isPointedAt ? 1.25 * radius() : radius();
            painter->drawEllipse(pixelOf(handles[i]), size, size);
        }
    }
};

PlotHandles::PlotHandles(QCustomPlot& plot)
    : QObject(&plot), plot_(plot), item_(new HandleItem(&plot)) {
    item_->setLayer(QStringLiteral("overlay"));  // above the axes
    plot_.installEventFilter(this);
}

void PlotHandles::setHandles(std::vector<PlotHandle> handles) {
    item_->handles = std::move(handles);
    if (item_->pointedAt && *item_->pointedAt >= item_->handles.size()) item_->pointedAt.reset();
}

const std::vector<PlotHandle>& PlotHandles::handles() const { return item_->handles; }

QPointF PlotHandles::pixelOf(size_t handle) const {
    return item_->pixelOf(item_->handles.at(handle));
}

void PlotHandles::setColors(const Colors& colors) { item_->colors = colors; }

std::optional<size_t> PlotHandles::handleAt(const QPointF& pixel) const {
    std::optional<size_t> nearest;
    double least = 2 * item_->radius();
    for (size_t i = 0; i < item_->handles.size(); ++i) {
        const double distance = QLineF(pixel, pixelOf(i)).length();
        if (distance > least || !item_->isSeen(item_->handles[i])) continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}

bool PlotHandles::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress: return press(*static_cast<QMouseEvent*>(event));
        case QEvent::MouseMove: return move(*static_cast<QMouseEvent*>(event));
        case QEvent::MouseButtonRelease: return release(*static_cast<QMouseEvent*>(event));
        case QEvent::ShortcutOverride:
        case QEvent::KeyPress:
            if (!isDragging() || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) break;
            event->accept();
            if (event->type() == QEvent::ShortcutOverride) return true;
            dragged_.reset();
            emit cancelled();
            return true;
        case QEvent::ContextMenu: return isDragging();
        case QEvent::Leave:
            if (!isDragging()) point(std::nullopt);
            break;
        default: break;
    }
    return QObject::eventFilter(watched, event);
}

bool PlotHandles::press(const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton) return isDragging();
    const std::optional<size_t> handle = handleAt(event.position());
    if (!handle) return false;
    plot_.setFocus(Qt::MouseFocusReason);  // for Escape
    dragged_ = handle;
    start_ = pixelOf(*handle);
    grip_ = start_ - event.position();
    hasX_ = hasY_ = false;
    emit grabbed(static_cast<int>(*handle));
    return true;
}

bool PlotHandles::move(const QMouseEvent& event) {
    if (!isDragging()) {
        point(handleAt(event.position()));
        return false;  // the cross-hair follows too
    }
    if (!(event.buttons() & Qt::LeftButton) || *dragged_ >= item_->handles.size()) {
        dragged_.reset();  // it was released elsewhere
        emit cancelled();
        return true;
    }
    const PlotHandle& handle = item_->handles[*dragged_];
    const QPointF to = event.position() + grip_;
    const double enough = QGuiApplication::styleHints()->startDragDistance() / 2.0;
    hasX_ = hasX_ || (handle.movesX && std::abs(to.x() - start_.x()) > enough);
    hasY_ = hasY_ || (handle.movesY && std::abs(to.y() - start_.y()) > enough);
    if (!hasX_ && !hasY_) return true;
    std::optional<double> x, y;
    if (hasX_) x = plot_.xAxis->pixelToCoord(to.x());
    if (hasY_) y = plot_.yAxis->pixelToCoord(to.y());
    emit moved(static_cast<int>(*dragged_), x, y);
    return true;
}

bool PlotHandles::release(const QMouseEvent& event) {
    if (!isDragging() || event.button() != Qt::LeftButton) return isDragging();
    const auto handle = static_cast<int>(*dragged_);
    dragged_.reset();
    emit dropped(handle);
    return true;
}

void PlotHandles::point(std::optional<size_t> handle) {
    if (handle == item_->pointedAt) return;
    item_->pointedAt = handle;
    if (handle) {
        const PlotHandle& at = item_->handles.at(*handle);
        plot_.setCursor(at.movesX && at.movesY ? Qt::SizeAllCursor
                        : at.movesX            ? Qt::SizeHorCursor
                                               : Qt::SizeVerCursor);
    } else {
        plot_.unsetCursor();
    }
    plot_.replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace temper::ui
