// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace temper::ui {

/// Boxes, number fields and plots on a scrolling page leave the wheel to the page, so that widgets
/// passing below the mouse do not change. Plots there zoom with Ctrl. Install it on the
/// application.
class WheelGuard : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace temper::ui
