// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/tool_bar.h"

#include <QAction>
#include <QMainWindow>
#include <QToolBar>
#include <QToolButton>

#include "ui/commands/command_registry.h"
#include "ui/theme/theme.h"
#include "ui/translation/tr.h"

namespace temper::ui {

void buildToolBar(QMainWindow& window, CommandRegistry& commands) {
    QToolBar* bar = window.addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const int size = em(&window, 1.1);
    bar->setIconSize({size, size});
    const char* const groups[][4] = {
        {"file.open", "file.save", nullptr, nullptr},
        {"dock.problems", "artifacts.generate", nullptr, nullptr},
        {"training.start", "training.pause", "training.step", "training.stop"}};
    for (const auto& group : groups) {
        if (!bar->actions().isEmpty()) bar->addSeparator();
        for (const char* id : group)
            if (id != nullptr) bar->addAction(commands.action(QLatin1String(id)));
    }
    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    bar->addAction(commands.action(QStringLiteral("tools.palette")));
    for (auto* button : bar->findChildren<QToolButton*>()) {
        button->setFocusPolicy(Qt::TabFocus);
        if (button->defaultAction() != nullptr)
            button->setAccessibleName(button->defaultAction()->text());
    }
    commands.add(QStringLiteral("layout.toolbar"), MenuId::View, bar->toggleViewAction());
}

}  // namespace temper::ui
