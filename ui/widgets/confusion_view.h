// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "engine/runs/run_event.h"

namespace temper::ui {

/// A confusion matrix as a heat map: rows are true classes, columns predicted ones.
class ConfusionView : public QWidget {
    Q_OBJECT
public:
    explicit ConfusionView(QWidget* parent = nullptr);

    void setMatrix(std::shared_ptr<const ConfusionMatrix> matrix);
    /// Sets whether cells can be chosen, by mouse or by arrows and Enter.
    void setInteractive(bool interactive);
    /// The rectangle of a cell in the widget.
    QRectF cell(size_t row, size_t column) const;

signals:
    /// The user clicked a cell, or pressed Enter on it.
    void cellChosen(int truth, int predicted);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void moveTo(int row, int column);
    void describe();
    double headWidth() const;
    double cellSize() const;
    QString className(size_t index) const;
    void paintCells(QPainter& painter) const;
    void paintHeads(QPainter& painter) const;

    std::shared_ptr<const ConfusionMatrix> matrix_;
    bool interactive_ = false;
    int currentRow_ = 0;
    int currentColumn_ = 0;
};

}  // namespace temper::ui
