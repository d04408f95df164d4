// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>

#include "engine/data/tensor_slice.h"

namespace temper::ui {

/// A slice of a tensor as coloured cells with a scale below; names the cell under the pointer or
/// the one chosen with the arrow keys.
class HeatMapView : public QWidget {
    Q_OBJECT
public:
    explicit HeatMapView(QWidget* parent = nullptr);

    /// Null clears it.
    void setGrid(std::shared_ptr<const SliceGrid> grid);
    const std::shared_ptr<const SliceGrid>& grid() const { return grid_; }

signals:
    /// Element (row, column) of the slice and its value; row is -1 if none is pointed at.
    void cellChosen(qint64 row, qint64 column, double value);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QRectF pictureRect() const;
    void paintScale(QPainter& painter) const;
    void choose(int64_t row, int64_t column);
    void render();
    double largest() const;

    std::shared_ptr<const SliceGrid> grid_;
    QImage picture_;
    int64_t row_ = -1;
    int64_t column_ = -1;
};

}  // namespace temper::ui
