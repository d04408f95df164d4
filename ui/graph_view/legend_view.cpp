// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/legend_view.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

#include "ui/graph_view/graph_view.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {

LegendView::LegendView(GraphView* view) : QWidget(view), view_(view) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFont(drawingTextFont(font()));
    view->installEventFilter(this);
    connect(view, &GraphView::legendChanged, this, &LegendView::refresh);
    refresh();
}

bool LegendView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FontChange) setFont(drawingTextFont(view_->font()));
    if (event->type() == QEvent::FontChange || event->type() == QEvent::Resize) place();
    return QWidget::eventFilter(watched, event);
}

void LegendView::refresh() {
    QStringList names;
    for (const LegendEntry& entry : view_->legend()) names << entry.text;
    setAccessibleName(tr("Legend: %1").arg(names.join(QStringLiteral(", "))));
    place();
}

void LegendView::place() {
    const auto& legend = view_->legend();
    int wide = 0;
    for (const LegendEntry& entry : legend)
        wide = std::max(wide, fontMetrics().horizontalAdvance(entry.text));
    const int line = em(this, 1.25);
    const QSize size(wide + em(this, 2.4), line * static_cast<int>(legend.size()) + em(this, 0.6));
    const int margin = em(this, 0.5);
    // In a small view, the graph takes precedence.
    setVisible(!legend.empty() && view_->drawing() && size.width() < view_->width() / 3 &&
               size.height() < view_->height() / 2);
    setGeometry(QRect(QPoint(margin, view_->height() - size.height() - margin), size));
    view_->keepFree(isHidden() ? QRect() : geometry());
    update();
}

void LegendView::paintEvent(QPaintEvent*) {
    const Colors& colors = colorsOf(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = colors.window;
    ground.setAlphaF(0.9F);
    painter.setPen(QPen(colors.border, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const double line = em(this, 1.25), side = em(this, 0.5);
    double top = em(this, 0.3);
    for (const LegendEntry& entry : view_->legend()) {
        const QRectF sample(side, top + line * 0.2, line * 0.6, line * 0.6);
        if (entry.mark == TrainingMark::None) {
            painter.setPen(QPen(blend(entry.color, colors.text, 0.2), 1));
            painter.setBrush(entry.color);
            painter.drawRoundedRect(sample, 2, 2);
        } else {
            paintTrainingMark(painter, sample.center(), line * 0.24, entry.mark, colors);
        }
        painter.setPen(colors.text);
        painter.drawText(QRectF(side + line, top, width() - line, line),
                         Qt::AlignVCenter | Qt::AlignLeft, entry.text);
        top += line;
    }
}

}  // namespace temper::ui
