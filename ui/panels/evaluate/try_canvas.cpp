// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/try_canvas.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QUrl>
#include <algorithm>
#include <cmath>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

/// Minimum stroke width, as a share of the side.
constexpr double kThinnest = 0.04;
constexpr double kThickest = 0.25;
constexpr std::chrono::milliseconds kSettle{80};
constexpr int kStrongest = 190;

}  // namespace

TryCanvas::TryCanvas(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Drawing"));
    setAccessibleDescription(
        tr("Draw with the mouse, drop a picture, or press Delete to start again."));
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setMinimumSize(em(this, 9), em(this, 9));
    setCursor(Qt::CrossCursor);
    settle_.setSingleShot(true);
    settle_.setInterval(kSettle);
    connect(&settle_, &QTimer::timeout, this, &TryCanvas::drawn);
}

QSize TryCanvas::sizeHint() const { return {em(this, 16), em(this, 16)}; }

void TryCanvas::showPicture(const QImage& picture) {
    picture_ = picture;
    map_ = {};
    update();
    emit strokesChanged();
}

void TryCanvas::clear() {
    strokes_.clear();
    picture_ = {};
    map_ = {};
    settle_.stop();
    update();
    emit strokesChanged();
}

void TryCanvas::undo() {
    if (!isDrawing() || strokes_.empty()) return;
    strokes_.pop_back();
    if (!strokes_.empty()) return changed();
    clear();
    emit cleared();
}

void TryCanvas::setStyle(const StrokeStyle& style) {
    style_ = style;
    style_.thickness = std::clamp(style_.thickness, kThinnest, kThickest);
    update();
}

void TryCanvas::setMap(std::vector<float> values, int width, int height) {
    map_ = {};
    float most = 0;
    for (const float value : values) most = std::max(most, std::abs(value));
    if (most > 0 && width > 0 && static_cast<int>(values.size()) == width * height) {
        const Colors& colors = currentColors();
        map_ = QImage(width, height, QImage::Format_ARGB32);
        for (int i = 0; i < width * height; ++i) {
            const float value = values[static_cast<size_t>(i)] / most;
            QColor color = value > 0 ? colors.series[1] : colors.series[0];
            color.setAlpha(static_cast<int>(kStrongest * std::abs(value)));
            map_.setPixelColor(i % width, i / width, color);
        }
    }
    update();
}

QRect TryCanvas::square() const {
    const int side = std::min(width(), height());
    return {(width() - side) / 2, 0, side, side};
}

QPointF TryCanvas::toDrawing(QPointF position) const {
    const QRect place = square();
    return (position - place.topLeft()) / place.width();
}

void TryCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colors& colors = currentColors();
    const QRect place = square();
    QRect inside = place;
    if (picture_.isNull()) {
        QImage shown = paintStrokes(strokes_, qRound(place.width() * devicePixelRatioF()));
        if (style_.isDarkOnLight) shown.invertPixels();
        painter.drawImage(place, shown);
    } else {
        const QSize size = picture_.size().scaled(place.size(), Qt::KeepAspectRatio);
        inside = QRect(QPoint(), size);
        inside.moveCenter(place.center());
        painter.fillRect(place, colors.raised);
        painter.drawImage(inside, picture_);
    }
    if (!map_.isNull()) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(inside, map_);
    }
    if (isEmpty()) {
        painter.setPen(style_.isDarkOnLight ? Qt::darkGray : Qt::lightGray);
        painter.drawText(place.adjusted(em(this), 0, -em(this), 0),
                         Qt::AlignCenter | Qt::TextWordWrap, tr("Draw here, or drop a picture."));
    }
    painter.setPen(QPen(hasFocus() ? colors.accent : colors.border, hasFocus() ? 2 : 1));
    painter.drawRect(place.adjusted(0, 0, -1, -1));
}

void TryCanvas::extend(QPointF to) {
    QPolygonF& points = strokes_.back().points;
    if (!points.isEmpty() && points.back() == to) return;
    points << to;
    changed();
}

void TryCanvas::changed() {
    map_ = {};
    if (!settle_.isActive()) settle_.start();
    update();
    emit strokesChanged();
}

void TryCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (!picture_.isNull()) clear();
    strokes_.push_back({{}, brush_ * style_.thickness});
    extend(toDrawing(event->position()));
}

void TryCanvas::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) && !isEmpty() && isDrawing())
        extend(toDrawing(event->position()));
}

void TryCanvas::mouseReleaseEvent(QMouseEvent*) {
    if (!strokes_.empty()) settle_.start();
}

/// While there are strokes, Ctrl+Z removes one instead of undoing a choice of the project.
bool TryCanvas::event(QEvent* event) {
    const bool isUndo = event->type() == QEvent::ShortcutOverride &&
                        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Undo);
    if (isUndo && isDrawing() && !strokes_.empty()) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void TryCanvas::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Undo)) return undo();
    if (event->key() != Qt::Key_Delete && event->key() != Qt::Key_Backspace)
        return QWidget::keyPressEvent(event);
    clear();
    emit cleared();
}

void TryCanvas::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void TryCanvas::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty()) emit pictureDropped(urls.front().toLocalFile());
}

}  // namespace temper::ui
