// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QScrollArea>
#include <QWheelEvent>

namespace temper::ui {
namespace {

QScrollArea* pageAround(QObject* part) {
    auto* widget = qobject_cast<QWidget*>(part);
    while (widget != nullptr && qobject_cast<QScrollArea*>(widget) == nullptr)
        widget = widget->parentWidget();
    return static_cast<QScrollArea*>(widget);
}

bool isField(const QObject* watched) {
    return qobject_cast<const QComboBox*>(watched) != nullptr ||
           qobject_cast<const QAbstractSpinBox*>(watched) != nullptr;
}

/// By name: this layer does not know plots.
bool isPlot(const QObject* watched) { return watched->inherits("QCustomPlot"); }

}  // namespace

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel) return false;
    const bool zooms = isPlot(watched) &&
                       static_cast<QWheelEvent*>(event)->modifiers().testFlag(Qt::ControlModifier);
    if (zooms || !(isField(watched) || isPlot(watched))) return false;
    QScrollArea* page = pageAround(watched);
    if (page == nullptr) return false;
    // Sent explicitly: plots do not propagate the event to their parents.
    QCoreApplication::sendEvent(page->viewport(), event);
    return true;
}

}  // namespace temper::ui
