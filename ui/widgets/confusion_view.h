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

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF cell(size_t row, size_t column) const;
    double headWidth() const;
    double cellSize() const;
    QString className(size_t index) const;
    void paintCells(QPainter& painter) const;
    void paintHeads(QPainter& painter) const;

    std::shared_ptr<const ConfusionMatrix> matrix_;
};

}  // namespace temper::ui
