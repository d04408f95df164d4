// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/new_group_area.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QPainter>

#include "ui/panels/parameters/parameter_drag.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {

NewGroupArea::NewGroupArea(QWidget* parent) : QLabel(parent) {
    setObjectName(QStringLiteral("newGroupArea"));
    setProperty("role", "muted");
    setText(
        tr("Drag parameters onto a group, or drop them here to create one. The first matching "
           "group applies."));
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setMargin(em(this, 0.3));
    setAcceptDrops(true);
}

void NewGroupArea::dragEnterEvent(QDragEnterEvent* event) {
    if (draggedParameters(*event->mimeData()).empty()) return;
    event->acceptProposedAction();
    isOver_ = true;
    update();
}

void NewGroupArea::dragMoveEvent(QDragMoveEvent* event) {
    if (isOver_) event->acceptProposedAction();
}

void NewGroupArea::dragLeaveEvent(QDragLeaveEvent*) {
    isOver_ = false;
    update();
}

void NewGroupArea::dropEvent(QDropEvent* event) {
    isOver_ = false;
    update();
    const std::set<std::string> names = draggedParameters(*event->mimeData());
    if (names.empty()) return event->ignore();
    event->acceptProposedAction();
    emit dropped(names);
}

void NewGroupArea::paintEvent(QPaintEvent* event) {
    const Colors& colors = colorsOf(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(isOver_ ? colors.accent : colors.border, 1, Qt::DashLine));
    if (isOver_) painter.setBrush(blend(colors.surface, colors.accent, 0.15));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    QLabel::paintEvent(event);
}

}  // namespace temper::ui
