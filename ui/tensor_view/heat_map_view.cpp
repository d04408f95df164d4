// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/heat_map_view.h"

#include <QKeyEvent>
#include <QLinearGradient>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/tensor_view/value_colors.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"

namespace temper::ui {

HeatMapView::HeatMapView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(em(this, 8), em(this, 8));
    setAccessibleName(tr("Values as colours"));
    setAccessibleDescription(
        tr("Arrow keys move from cell to cell; the table has the same values."));
}

void HeatMapView::setGrid(std::shared_ptr<const SliceGrid> grid) {
    grid_ = std::move(grid);
    row_ = column_ = -1;
    render();
    update();
}

double HeatMapView::largest() const {
    return std::max(std::abs(grid_->minimum), std::abs(grid_->maximum));
}

void HeatMapView::render() {
    picture_ = QImage();
    if (!grid_ || grid_->values.empty()) return;
    const Colors& colors = colorsOf(palette());
    picture_ = QImage(static_cast<int>(grid_->columns), static_cast<int>(grid_->rows),
                      QImage::Format_RGB32);
    size_t cell = 0;
    for (int y = 0; y < picture_.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(picture_.scanLine(y));
        for (int x = 0; x < picture_.width(); ++x)
            line[x] = valueColor(grid_->values[cell++], largest(), colors);
    }
}

/// Cells are square if there is room; long thin slices are stretched.
QRectF HeatMapView::pictureRect() const {
    const double scale = em(this, 2.2);
    const QRectF room = QRectF(rect()).adjusted(1, 1, -1, -scale);
    double x = room.width() / static_cast<double>(grid_->columns);
    double y = room.height() / static_cast<double>(grid_->rows);
    const double square = std::min({x, y, double(em(this, 3))});
    x = std::min(x, std::max(square, 4.0 * square));
    y = std::min(y, std::max(square, 4.0 * square));
    if (x / y < 4 && y / x < 4) x = y = square;
    return {room.topLeft(),
            QSizeF(x * static_cast<double>(grid_->columns), y * static_cast<double>(grid_->rows))};
}

void HeatMapView::paintEvent(QPaintEvent*) {
    if (picture_.isNull()) return;
    QPainter painter(this);
    const Colors& colors = colorsOf(palette());
    const QRectF place = pictureRect();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, place.width() < picture_.width());
    painter.drawImage(place, picture_);
    painter.setPen(QPen(hasFocus() ? colors.accent : colors.border, 1));
    painter.drawRect(place);
    if (row_ >= 0) {
        const double x = place.width() / picture_.width(), y = place.height() / picture_.height();
        painter.setPen(QPen(colors.text, 1.5));
        painter.drawRect(QRectF(place.left() + x * static_cast<double>(column_),
                                place.top() + y * static_cast<double>(row_), x, y));
    }
    paintScale(painter);
}

void HeatMapView::paintScale(QPainter& painter) const {
    const Colors& colors = colorsOf(palette());
    const double line = em(this, 1.2);
    const QRectF bar(0, height() - 1.6 * line, std::min<double>(width(), em(this, 16)), 0.4 * line);
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    constexpr int kStops = 10;
    for (int stop = 0; stop <= kStops; ++stop) {
        const double part = static_cast<double>(stop) / kStops;
        const double value = grid_->minimum + part * (grid_->maximum - grid_->minimum);
        gradient.setColorAt(part, QColor(valueColor(value, largest(), colors)));
    }
    painter.fillRect(bar, gradient);
    painter.setPen(colors.muted);
    const QRectF below(bar.left(), bar.bottom(), bar.width(), line);
    painter.drawText(below, Qt::AlignLeft, decimalText(grid_->minimum, 'g', 4));
    painter.drawText(below, Qt::AlignRight, decimalText(grid_->maximum, 'g', 4));
}

void HeatMapView::choose(int64_t row, int64_t column) {
    if (row == row_ && column == column_) return;
    row_ = row;
    column_ = column;
    update();
    if (row < 0) {
        emit cellChosen(-1, -1, 0);
        return;
    }
    emit cellChosen(row * grid_->rowStep, column * grid_->columnStep,
                    grid_->values[static_cast<size_t>(row * grid_->columns + column)]);
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event) {
    if (picture_.isNull()) return;
    const QRectF place = pictureRect();
    if (!place.contains(event->position())) return choose(-1, -1);
    const QPointF inside = event->position() - place.topLeft();
    choose(std::min(grid_->rows - 1,
                    static_cast<int64_t>(inside.y() / place.height() * picture_.height())),
           std::min(grid_->columns - 1,
                    static_cast<int64_t>(inside.x() / place.width() * picture_.width())));
}

void HeatMapView::leaveEvent(QEvent*) {
    if (!hasFocus()) choose(-1, -1);
}

void HeatMapView::keyPressEvent(QKeyEvent* event) {
    if (picture_.isNull()) return QWidget::keyPressEvent(event);
    const int64_t row = std::max<int64_t>(0, row_), column = std::max<int64_t>(0, column_);
    switch (event->key()) {
        case Qt::Key_Left: return choose(row, std::max<int64_t>(0, column - 1));
        case Qt::Key_Right: return choose(row, std::min(grid_->columns - 1, column + 1));
        case Qt::Key_Up: return choose(std::max<int64_t>(0, row - 1), column);
        case Qt::Key_Down: return choose(std::min(grid_->rows - 1, row + 1), column);
        default: QWidget::keyPressEvent(event);
    }
}

void HeatMapView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) render();
    QWidget::changeEvent(event);
}

}  // namespace temper::ui
