// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QScrollArea>

namespace temper::ui {
namespace {

bool isOnScrolledPage(const QWidget* widget) {
    while (widget != nullptr && qobject_cast<const QScrollArea*>(widget) == nullptr)
        widget = widget->parentWidget();
    return widget != nullptr;
}

}  // namespace

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel) return false;
    const bool isField = qobject_cast<QComboBox*>(watched) != nullptr ||
                         qobject_cast<QAbstractSpinBox*>(watched) != nullptr;
    if (!isField || !isOnScrolledPage(qobject_cast<QWidget*>(watched))) return false;
    event->ignore();  // it goes on to what is around
    return true;
}

}  // namespace temper::ui
