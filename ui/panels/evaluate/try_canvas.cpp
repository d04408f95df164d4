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

#include "engine/data/picture_sample.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

/// Side of the drawing, at any size on the screen.
constexpr int kSide = 280;
/// Minimum stroke width, as a share of the side.
constexpr double kThinnest = 0.04;
constexpr double kThickest = 0.25;
constexpr std::chrono::milliseconds kSettle{80};
constexpr int kStrongest = 190;

}  // namespace

TryCanvas::TryCanvas(QWidget* parent)
    : QWidget(parent), strokes_(kSide, kSide, QImage::Format_Grayscale8) {
    strokes_.fill(Qt::black);
    setStyle(false, StrokeStyle().thickness);
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
}

void TryCanvas::clear() {
    strokes_.fill(Qt::black);
    picture_ = {};
    map_ = {};
    hasInk_ = false;
    update();
}

void TryCanvas::setStyle(bool lightPaper, double thickness) {
    lightPaper_ = lightPaper;
    pen_ = std::clamp(thickness, kThinnest, kThickest) * kSide;
    update();
}

Image TryCanvas::drawing() const {
    Image image(kSide, kSide, 1);
    for (int y = 0; y < kSide; ++y) std::copy_n(strokes_.constScanLine(y), kSide, image.row(y));
    return image;
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
    return (position - place.topLeft()) * kSide / place.width();
}

void TryCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colors& colors = currentColors();
    const QRect place = square();
    QRect inside = place;
    if (picture_.isNull()) {
        QImage shown = strokes_;
        if (lightPaper_) shown.invertPixels();
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
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
        painter.setPen(lightPaper_ ? Qt::darkGray : Qt::lightGray);
        painter.drawText(place.adjusted(em(this), 0, -em(this), 0),
                         Qt::AlignCenter | Qt::TextWordWrap, tr("Draw here, or drop a picture."));
    }
    painter.setPen(QPen(hasFocus() ? colors.accent : colors.border, hasFocus() ? 2 : 1));
    painter.drawRect(place.adjusted(0, 0, -1, -1));
}

void TryCanvas::stroke(QPointF from, QPointF to) {
    QPainter painter(&strokes_);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Qt::white, pen_, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (from == to) {
        painter.drawPoint(from);
    } else {
        painter.drawLine(from, to);
    }
    hasInk_ = true;
    map_ = {};
    if (!settle_.isActive()) settle_.start();
    update();
}

void TryCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (!picture_.isNull()) clear();
    last_ = toDrawing(event->position());
    stroke(last_, last_);
}

void TryCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return;
    const QPointF to = toDrawing(event->position());
    stroke(last_, to);
    last_ = to;
}

void TryCanvas::mouseReleaseEvent(QMouseEvent*) {
    if (hasInk_) settle_.start();
}

void TryCanvas::keyPressEvent(QKeyEvent* event) {
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
