// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <map>

#include "ui/commands/command_registry.h"

class QMenu;
class QMenuBar;

namespace temper::ui {

/// The menu bar with all commands registered after its construction. A menu without commands is
/// hidden.
class CommandMenus : public QObject {
    Q_OBJECT
public:
    CommandMenus(CommandRegistry& commands, QMenuBar& bar);

    /// Adds `menu` after the commands registered so far.
    void addMenu(MenuId id, QMenu* menu);

private:
    void add(const Command& command);

    std::map<MenuId, QMenu*> menus_;
    std::map<MenuId, QString> lastGroup_;
};

}  // namespace temper::ui
