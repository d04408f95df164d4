// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace temper::ui {

/// Draws LayerModel::RidgeRole: a histogram of magnitudes, small ones left, large ones right, on
/// the same scale in all rows. The area shows the current values, the line the run's first
/// measurement.
class RidgeDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// `color` indexes Colors::series.
    RidgeDelegate(int color, QObject* parent) : QStyledItemDelegate(parent), color_(color) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    int color_;
};

}  // namespace temper::ui
