// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_row.h"

#include <QEvent>
#include <algorithm>

#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

constexpr double kGap = 0.4;  ///< in lines of text

QSize wantedSize(const QWidget& widget) {
    return widget.sizeHint()
        .expandedTo(widget.minimumSizeHint())
        .expandedTo(widget.minimumSize())
        .boundedTo(widget.maximumSize());
}

}  // namespace

FlowRow::FlowRow(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void FlowRow::add(QWidget* widget) {
    widget->setParent(this);
    widgets_.push_back(widget);
    updateGeometry();
}

QSize FlowRow::sizeHint() const {
    int width = 0;
    for (const QWidget* widget : widgets_)
        if (!widget->isHidden()) width += wantedSize(*widget).width() + em(this, kGap);
    return {std::max(0, width - em(this, kGap)), minimumSizeHint().height()};
}

QSize FlowRow::minimumSizeHint() const {
    QSize least;
    for (const QWidget* widget : widgets_)
        if (!widget->isHidden()) least = least.expandedTo(wantedSize(*widget));
    return least;
}

void FlowRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

bool FlowRow::event(QEvent* event) {
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) {
        updateGeometry();
        arrange();
    }
    return done;
}

void FlowRow::arrange() {
    const int gap = em(this, kGap);
    const int line = minimumSizeHint().height();
    QPoint place;
    for (QWidget* widget : widgets_) {
        if (widget->isHidden()) continue;
        const QSize size = wantedSize(*widget);
        if (place.x() > 0 && place.x() + size.width() > width())
            place = {0, place.y() + line + gap};
        widget->setGeometry(QRect(place + QPoint(0, (line - size.height()) / 2), size));
        place.rx() += size.width() + gap;
    }
    setFixedHeight(place.y() + line);
}

}  // namespace temper::ui
