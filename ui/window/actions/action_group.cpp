// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/action_group.h"

#include <QAction>

#include "ui/theme/icons.h"
#include "ui/window/workspace.h"

namespace temper::ui {

ActionGroup::ActionGroup(const WindowContext& context) : context_(context) {}

QAction* ActionGroup::add(const QString& id, MenuId menu, const QString& text, const QString& icon,
                          const QList<QKeySequence>& keys, std::function<void()> run) {
    auto* action = new QAction(icon.isEmpty() ? QIcon() : themedIcon(icon), text, this);
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, std::move(run));
    add(id, menu, action);
    return action;
}

QAction* ActionGroup::addCheckable(const QString& id, MenuId menu, const QString& text,
                                   const QString& icon, const QList<QKeySequence>& keys) {
    auto* action = new QAction(icon.isEmpty() ? QIcon() : themedIcon(icon), text, this);
    action->setShortcuts(keys);
    action->setCheckable(true);
    add(id, menu, action);
    return action;
}

void ActionGroup::add(const QString& id, MenuId menu, QAction* action) {
    context_.work.commands.add(id, menu, action);
}

void ActionGroup::needModel(const std::vector<QAction*>& actions) {
    StudioProject& project = context_.work.project;
    const auto refresh = [&project, actions] {
        for (QAction* action : actions) action->setEnabled(project.model() != nullptr);
    };
    connect(&project, &StudioProject::modelChanged, this, refresh);
    refresh();
}

}  // namespace temper::ui
