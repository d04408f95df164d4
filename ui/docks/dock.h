// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QStringList>
#include <functional>
#include <vector>

#include "ui/panels/panel.h"

namespace temper::ui {

/// A tool at the edge of the window. The widget's window title, if set, is the dock's.
struct DockInfo {
    QString id;
    QString title;
    QString icon;
    Qt::DockWidgetArea area;
    QKeySequence shortcut;
    QStringList pages;  ///< only on these pages; empty: on all
    std::function<QWidget*(const PanelContext&, QWidget* parent)> create;
    QString term = {};  ///< explains its contents; see terms()
};

/// The docks in the order of their tabs.
std::vector<DockInfo> docks();

}  // namespace temper::ui
