// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>
#include <QStringList>
#include <functional>
#include <vector>

#include "ui/panels/panel.h"

namespace temper::ui {

/// Layouts of docks for the user's activities.
enum class LayoutPreset { Inspect, Train, Teach };

/// A tool at the edge of the window.
struct DockInfo {
    QString id;
    QString title;  ///< unless the widget has a window title; also of tables without a name
    QString icon;
    Qt::DockWidgetArea area;
    QKeySequence shortcut;
    QStringList pages = {};  ///< only on these pages; empty: on all
    std::function<QWidget*(const PanelContext&, QWidget* parent)> create;
    QString term = {};                 ///< explains its contents; see terms()
    QList<LayoutPreset> layouts = {};  ///< those that open it; the others close it
    bool teaches = false;              ///< presenter mode keeps it
};

/// Creates a dock whose widget is a D.
template <typename D>
QWidget* createDock(const PanelContext& context, QWidget* parent) {
    return new D(context, parent);
}

/// The docks in the order of their tabs.
std::vector<DockInfo> docks();

}  // namespace temper::ui
