// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/drag_handle.h"

#include <QApplication>
#include <QMouseEvent>

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

namespace temper::ui {

DragHandle::DragHandle(QWidget* parent) : QLabel(parent) {
    setCursor(Qt::OpenHandCursor);
    draw();
}

void DragHandle::draw() {
    const int size = em(this, 1.2);
    setPixmap(themedIcon(QStringLiteral("grip")).pixmap(QSize(size, size), devicePixelRatioF()));
}

void DragHandle::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) draw();
}

void DragHandle::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) pressed_ = event->pos();
}

void DragHandle::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return;
    if ((event->pos() - pressed_).manhattanLength() < QApplication::startDragDistance()) return;
    emit dragStarted();
}

}  // namespace temper::ui
