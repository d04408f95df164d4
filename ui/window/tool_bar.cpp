// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/tool_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QMainWindow>
#include <QToolBar>
#include <QToolButton>

#include "ui/commands/command_registry.h"
#include "ui/theme/theme.h"
#include "ui/translation/tr.h"
#include "ui/window/page_stack.h"

namespace temper::ui {

namespace {

/// Start, pause, step and stop, as one part of the bar that is hidden as a whole.
QAction* addTransport(QToolBar& bar, CommandRegistry& commands) {
    auto* transport = new QWidget(&bar);
    transport->setObjectName(QStringLiteral("transport"));
    auto* row = new QHBoxLayout(transport);
    row->setContentsMargins(0, 0, 0, 0);
    for (const char* id : {"training.start", "training.pause", "training.step", "training.stop"}) {
        auto* button = new QToolButton(transport);
        button->setDefaultAction(commands.action(QLatin1String(id)));
        button->setAutoRaise(true);
        button->setToolButtonStyle(bar.toolButtonStyle());
        button->setIconSize(bar.iconSize());
        row->addWidget(button);
    }
    return bar.addWidget(transport);
}

}  // namespace

void buildToolBar(QMainWindow& window, CommandRegistry& commands, PageStack& pages) {
    QToolBar* bar = window.addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const int size = em(&window, 1.1);
    bar->setIconSize({size, size});
    const char* const groups[][2] = {{"file.open", "file.save"},
                                     {"dock.problems", "artifacts.generate"}};
    for (const auto& group : groups) {
        if (!bar->actions().isEmpty()) bar->addSeparator();
        for (const char* id : group) bar->addAction(commands.action(QLatin1String(id)));
    }
    QAction* line = bar->addSeparator();
    QAction* transport = addTransport(*bar, commands);
    QObject::connect(&pages, &PageStack::shown, bar, [line, transport](const QString& page) {
        const bool isDouble = page == QStringLiteral("train");
        line->setVisible(!isDouble);
        transport->setVisible(!isDouble);
    });
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
