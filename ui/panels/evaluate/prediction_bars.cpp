// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/prediction_bars.h"

#include <QGuiApplication>
#include <QLocale>
#include <QPainter>
#include <algorithm>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

QString valueText(const PredictionBars::Bar& bar) {
    return bar.isShare ? PredictionBars::tr("%1 %").arg(decimalText(100 * bar.value, 'f', 1))
                       : QLocale().toString(bar.value, 'g', 5);
}

}  // namespace

PredictionBars::PredictionBars(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Prediction"));
}

void PredictionBars::setBars(std::vector<Bar> bars) {
    bars_ = std::move(bars);
    QStringList lines;
    for (const Bar& bar : bars_) lines << tr("%1: %2").arg(bar.name, valueText(bar));
    setAccessibleDescription(lines.join(QStringLiteral("; ")));
    setMinimumHeight(static_cast<int>(bars_.size()) * em(this, 1.8));
    update();
}

void PredictionBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colors& colors = currentColors();
    int nameWidth = 0;
    QStringList names;
    for (const Bar& bar : bars_) {
        nameWidth = std::max(nameWidth, fontMetrics().horizontalAdvance(bar.name));
        names << bar.name;
    }
    nameWidth = std::min(nameWidth + em(this, 0.2), width() / 3);
    const int row = em(this, 1.8), tall = em(this, 1.1), gap = em(this, 0.5);
    const int valueWidth = fontMetrics().horizontalAdvance(QStringLiteral("100.0 % +"));
    const double space = std::max(1, width() - nameWidth - valueWidth - 2 * gap);
    int top = 0;
    qsizetype place = 0;
    for (const Bar& bar : bars_) {
        const double left = nameWidth + gap;
        const double length = bar.isShare ? space * std::clamp(bar.value, 0.0, 1.0) : 0;
        painter.setPen(colors.text);
        painter.drawText(QRect(0, top, nameWidth, row), Qt::AlignRight | Qt::AlignVCenter,
                         elidedName(fontMetrics(), names, place++, nameWidth));
        painter.fillRect(QRectF(left, top + (row - tall) / 2.0, std::max(length, 1.0), tall),
                         bar.isRight ? colors.good : colors.series[0]);
        painter.setPen(bar.isRight ? colors.good : colors.muted);
        const QString mark = bar.isRight ? QStringLiteral(" ✓") : QString();
        painter.drawText(QRectF(left + length + gap, top, width(), row),
                         Qt::AlignLeft | Qt::AlignVCenter, valueText(bar) + mark);
        top += row;
    }
}

}  // namespace temper::ui
