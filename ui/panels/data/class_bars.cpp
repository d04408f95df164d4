// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/class_bars.h"

#include <QGuiApplication>
#include <QLocale>
#include <QPainter>
#include <algorithm>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

QString countText(const ClassBars::Bar& bar) {
    const QLocale locale;
    return bar.evaluation > 0 ? ClassBars::tr("%1 + %2 for validation")
                                    .arg(locale.toString(qlonglong(bar.training)),
                                         locale.toString(qlonglong(bar.evaluation)))
                              : locale.toString(qlonglong(bar.training));
}

}  // namespace

ClassBars::ClassBars(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Samples per class"));
}

void ClassBars::setBars(std::vector<Bar> bars) {
    bars_ = std::move(bars);
    QStringList lines;
    for (const Bar& bar : bars_) lines << tr("%1: %2").arg(bar.name, countText(bar));
    setAccessibleDescription(lines.join(QStringLiteral("; ")));
    setMinimumHeight(static_cast<int>(bars_.size()) * em(this, 1.6));
    update();
}

void ClassBars::paintEvent(QPaintEvent*) {
    if (bars_.empty()) return;
    QPainter painter(this);
    // Within a transparent area, the widget's own palette is meaningless.
    const Colors& colors = currentColors();
    int nameWidth = 0, countWidth = 0;
    int64_t most = 1;
    QStringList names;
    for (const Bar& bar : bars_) {
        names << bar.name;
        nameWidth = std::max(nameWidth, fontMetrics().horizontalAdvance(bar.name));
        countWidth = std::max(countWidth, fontMetrics().horizontalAdvance(countText(bar)));
        most = std::max(most, bar.training + bar.evaluation);
    }
    nameWidth += em(this, 0.2);
    const int gap = em(this, 0.5), row = em(this, 1.6), tall = em(this, 0.9);
    nameWidth = std::min(nameWidth, width() / 3);
    const double space = std::max(1, width() - nameWidth - countWidth - 2 * gap);
    int top = 0;
    qsizetype place = 0;
    for (const Bar& bar : bars_) {
        const auto length = [&](int64_t count) {
            return space * static_cast<double>(count) / static_cast<double>(most);
        };
        painter.setPen(colors.text);
        painter.drawText(QRect(0, top, nameWidth, row), Qt::AlignRight | Qt::AlignVCenter,
                         elidedName(fontMetrics(), names, place++, nameWidth));
        const double left = nameWidth + gap, y = top + (row - tall) / 2.0;
        const double first = length(bar.training), second = length(bar.evaluation);
        painter.fillRect(QRectF(left, y, first, tall), colors.series[0]);
        painter.fillRect(QRectF(left + first, y, second, tall),
                         QBrush(colors.series[1], Qt::Dense4Pattern));
        painter.setPen(colors.muted);
        painter.drawText(QRectF(left + first + second + gap, top, countWidth, row),
                         Qt::AlignLeft | Qt::AlignVCenter, countText(bar));
        top += row;
    }
}

}  // namespace temper::ui
