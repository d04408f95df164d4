// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_menus.h"

#include <QAction>
#include <QMenuBar>

namespace temper::ui {

CommandMenus::CommandMenus(CommandRegistry& commands, QMenuBar& bar) {
    for (const MenuId id : {MenuId::File, MenuId::Edit, MenuId::View, MenuId::Model,
                            MenuId::Training, MenuId::Runs, MenuId::Tools, MenuId::Help}) {
        QMenu* menu = bar.addMenu(menuTitle(id));
        menu->setToolTipsVisible(true);
        menu->menuAction()->setVisible(false);
        menus_[id] = menu;
    }
    connect(&commands, &CommandRegistry::added, this, &CommandMenus::add);
}

void CommandMenus::addMenu(MenuId id, QMenu* menu) { menus_.at(id)->addMenu(menu); }

void CommandMenus::add(const Command& command) {
    QMenu* menu = menus_.at(command.menu);
    QString& last = lastGroup_[command.menu];
    if (!last.isEmpty() && last != command.group()) menu->addSeparator();
    last = command.group();
    menu->addAction(command.action);
    menu->menuAction()->setVisible(true);
}

}  // namespace temper::ui
