// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/layers/ridge_delegate.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "ui/docks/layers/layer_model.h"
#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

/// The outline of the counts, from the left to the right of `area`.
QPainterPath outline(const MagnitudeHistogram& histogram, const QRectF& area) {
    const double highest = std::max(1.0, static_cast<double>(*std::max_element(
                                             histogram.counts.begin(), histogram.counts.end())));
    const double stride = area.width() / MagnitudeHistogram::kBins;
    QPainterPath path(area.bottomLeft());
    for (int bin = 0; bin < MagnitudeHistogram::kBins; ++bin) {
        const double share = histogram.counts[static_cast<size_t>(bin)] / highest;
        path.lineTo(area.left() + (bin + 0.5) * stride, area.bottom() - share * area.height());
    }
    path.lineTo(area.bottomRight());
    return path;
}

}  // namespace

void RidgeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const auto ridge = index.data(LayerModel::RidgeRole).value<Ridge>();
    const Colors& colors = colorsOf(option.palette);
    const QRectF area = QRectF(option.rect).adjusted(3, 2, -3, -2);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillPath(outline(ridge.now, area), colors.series.at(static_cast<size_t>(color_)));
    painter->setPen(QPen(colors.muted, 1));
    painter->drawPath(outline(ridge.first, area));
    painter->restore();
}

QSize RidgeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    const int height = option.fontMetrics.height();
    return {11 * height, height * 3 / 2};
}

}  // namespace temper::ui
