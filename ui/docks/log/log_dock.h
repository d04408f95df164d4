// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/docks/dock.h"

namespace temper::ui {

/// Events since the window opened; follows the last line unless the user scrolled up.
class LogDock : public QWidget {
    Q_OBJECT
public:
    explicit LogDock(const PanelContext& context, QWidget* parent = nullptr);
};

DockInfo logDock();

}  // namespace temper::ui
