// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/histogram_view.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"

namespace temper::ui {

HistogramView::HistogramView(QWidget* parent) : QWidget(parent) {
    setMinimumHeight(em(this, 5));
    setAccessibleName(tr("Distribution of the values"));
}

void HistogramView::setHistogram(std::vector<int64_t> counts, double minimum, double maximum) {
    counts_ = std::move(counts);
    minimum_ = minimum;
    maximum_ = maximum;
    setVisible(!counts_.empty());
    update();
}

void HistogramView::setLogarithmic(bool logarithmic) {
    logarithmic_ = logarithmic;
    update();
}

void HistogramView::paintEvent(QPaintEvent*) {
    if (counts_.empty()) return;
    QPainter painter(this);
    const Colors& colors = colorsOf(palette());
    const double caption = em(this, 1.2);
    const auto heightOf = [this](int64_t count) {
        return logarithmic_ ? std::log1p(static_cast<double>(count)) : static_cast<double>(count);
    };
    const double highest =
        heightOf(std::max<int64_t>(1, *std::max_element(counts_.begin(), counts_.end())));
    const double bar = width() / static_cast<double>(counts_.size());
    for (size_t i = 0; i < counts_.size(); ++i) {
        const double tall = (height() - caption - 2) * heightOf(counts_[i]) / highest;
        painter.fillRect(QRectF(bar * static_cast<double>(i), height() - caption - tall,
                                std::max(1.0, bar - 1), tall),
                         colors.series[0]);
    }
    painter.setPen(colors.muted);
    const QRectF below(0, height() - caption, width(), caption);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignBottom, decimalText(minimum_, 'g', 4));
    painter.drawText(below, Qt::AlignRight | Qt::AlignBottom, decimalText(maximum_, 'g', 4));
}

}  // namespace temper::ui
