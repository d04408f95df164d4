// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include <QStyle>
#include <QStylePainter>

namespace temper::ui {

ElidedLabel::ElidedLabel(QWidget* parent, Qt::TextElideMode mode) : QLabel(parent), mode_(mode) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    const QRect place = contentsRect();
    painter.drawItemText(place, static_cast<int>(alignment()), palette(), isEnabled(),
                         fontMetrics().elidedText(text(), mode_, place.width()), foregroundRole());
}

}  // namespace temper::ui
