// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace temper::ui {

/// Boxes and number fields on a page that scrolls leave the wheel to the page: a choice that passes
/// below the mouse is not to change. Install it on the application.
class WheelGuard : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace temper::ui
