// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/spark_delegate.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "ui/docks/runs/run_table_model.h"
#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

/// Width of the curve, in line heights.
constexpr int kCurveWidth = 4;

int curveWidth(const QStyleOptionViewItem& option) {
    return kCurveWidth * option.fontMetrics.height();
}

QPainterPath curveIn(const QRectF& place, const QList<float>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double height = *high > *low ? place.height() / (*high - *low) : 0;
    const double distance = place.width() / static_cast<double>(values.size() - 1);
    QPainterPath path;
    for (qsizetype i = 0; i < values.size(); ++i) {
        const QPointF point(place.left() + distance * static_cast<double>(i),
                            place.bottom() - height * (values[i] - *low));
        i == 0 ? path.moveTo(point) : path.lineTo(point);
    }
    return path;
}

}  // namespace

void SparkDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const auto values = index.data(RunTableModel::kSparkRole).value<QList<float>>();
    if (values.size() < 2) return;
    const int width = curveWidth(option);
    const int margin = option.rect.height() / 5;
    const QRectF place(option.rect.right() - width - margin, option.rect.top() + margin, width,
                       option.rect.height() - 2 * margin);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colorsOf(option.palette).accent, 1.2));
    painter->drawPath(curveIn(place, values));
    painter->restore();
}

QSize SparkDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize text = QStyledItemDelegate::sizeHint(option, index);
    return {text.width() + curveWidth(option) + option.fontMetrics.height(), text.height()};
}

}  // namespace temper::ui
