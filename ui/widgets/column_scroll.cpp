// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/column_scroll.h"

#include <QEvent>
#include <QScrollBar>

namespace temper::ui {

ColumnScroll::ColumnScroll(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

QSize ColumnScroll::minimumSizeHint() const {
    const QSize least = QScrollArea::minimumSizeHint();
    if (widget() == nullptr) return least;
    const int needed = widget()->minimumSizeHint().width() + 2 * frameWidth() +
                       verticalScrollBar()->sizeHint().width();
    return {std::max(least.width(), needed), least.height()};
}

/// QScrollArea listens to its widget in the same way.
bool ColumnScroll::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

}  // namespace temper::ui
