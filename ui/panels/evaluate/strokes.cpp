// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/strokes.h"

#include <QPainter>
#include <QTransform>
#include <algorithm>
#include <optional>
#include <utility>

namespace temper::ui {
namespace {

/// Smaller drawings are dots, which are not enlarged.
constexpr double kDot = 0.01;
/// Pixels in which the centre of mass is measured.
constexpr int kMeasuredSide = 140;
constexpr QPointF kMiddle(0.5, 0.5);

QRectF boundsOf(const std::vector<Stroke>& strokes) {
    QRectF bounds;
    for (const Stroke& stroke : strokes) {
        // A rectangle without width or height would be lost in a union.
        const QRectF points = stroke.points.boundingRect();
        const double half = stroke.width / 2;
        bounds |= points.adjusted(-half, -half, half, half);
    }
    return bounds;
}

void transform(std::vector<Stroke>& strokes, const QTransform& by) {
    for (Stroke& stroke : strokes) stroke.points = by.map(stroke.points);
}

/// Moves the middle of the bounding box.
void centreAt(std::vector<Stroke>& strokes, QPointF place) {
    const QPointF by = place - boundsOf(strokes).center();
    transform(strokes, QTransform::fromTranslate(by.x(), by.y()));
}

/// From the middle of the bounding box to the centre of mass of the ink.
QPointF massOffset(std::vector<Stroke> strokes) {
    centreAt(strokes, kMiddle);
    const QImage ink = paintStrokes(strokes, kMeasuredSide);
    QPointF sum;
    double mass = 0;
    for (int y = 0; y < kMeasuredSide; ++y) {
        for (int x = 0; x < kMeasuredSide; ++x) {
            const double value = ink.constScanLine(y)[x];
            sum += QPointF(x + 0.5, y + 0.5) * value;
            mass += value;
        }
    }
    return mass > 0 ? sum / (mass * kMeasuredSide) - kMiddle : QPointF();
}

/// Moves what is beyond the edges of the square back, or centres what is larger.
double movedInside(double low, double high) {
    if (high - low >= 1) return (1 - low - high) / 2;
    return low < 0 ? -low : std::min(1 - high, 0.0);
}

/// The largest at which the strokes are as wide or as high as the drawings of the data.
double scaleOf(const std::vector<Stroke>& strokes, const StrokeStyle& style) {
    double pen = 0;
    for (const Stroke& stroke : strokes) pen = std::max(pen, stroke.width);
    const QRectF bounds = boundsOf(strokes);
    std::optional<double> scale;
    for (const auto& [length, wanted] : {std::pair(bounds.width() - pen, style.width - pen),
                                         std::pair(bounds.height() - pen, style.height - pen)})
        if (length > kDot && wanted > 0)
            scale = std::min(scale.value_or(wanted / length), wanted / length);
    return scale.value_or(1);
}

}  // namespace

std::vector<Stroke> placedLikeData(std::vector<Stroke> strokes, const StrokeStyle& style) {
    if (strokes.empty()) return strokes;
    const double scale = scaleOf(strokes, style);
    transform(strokes, QTransform::fromScale(scale, scale));
    const QPointF place = kMiddle + QPointF(style.right, style.down);
    centreAt(strokes, style.isByMass ? place - massOffset(strokes) : place);
    const QRectF placed = boundsOf(strokes);
    transform(strokes, QTransform::fromTranslate(movedInside(placed.left(), placed.right()),
                                                 movedInside(placed.top(), placed.bottom())));
    return strokes;
}

QImage paintStrokes(const std::vector<Stroke>& strokes, int side) {
    QImage image(side, side, QImage::Format_Grayscale8);
    image.fill(Qt::black);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Stroke& stroke : strokes) {
        painter.setPen(
            QPen(Qt::white, stroke.width * side, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPolygonF points = QTransform::fromScale(side, side).map(stroke.points);
        points.size() == 1 ? painter.drawPoint(points.front()) : painter.drawPolyline(points);
    }
    return image;
}

}  // namespace temper::ui
