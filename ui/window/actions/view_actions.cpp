// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/view_actions.h"

#include <QAction>

#include "ui/window/page_stack.h"
#include "ui/window/presenter_mode.h"
#include "ui/window/window_docks.h"

namespace temper::ui {

ViewActions::ViewActions(const WindowContext& context, PageStack& pages, WindowDocks& docks,
                         PresenterMode& presenter)
    : ActionGroup(context) {
    addPages(pages);
    for (QAction* action : docks.actions())
        add(QStringLiteral("dock.") + action->data().toString(), MenuId::View, action);
    addLayouts(docks);
    addPresenter(presenter);
}

void ViewActions::addPages(PageStack& pages) {
    int number = 1;
    for (const PanelInfo& panel : pages.panels())
        add(QStringLiteral("page.") + panel.id, MenuId::View, panel.title, panel.icon,
            {QKeySequence(QStringLiteral("Alt+%1").arg(number++))},
            [&pages, id = panel.id] { pages.show(id); });
    add(QStringLiteral("page.start"), MenuId::View, tr("Start page"), QStringLiteral("home"),
        {QKeySequence("Alt+0")}, [&pages] { pages.showStart(); });
}

void ViewActions::addLayouts(WindowDocks& docks) {
    const std::tuple<const char*, QString, LayoutPreset> presets[] = {
        {"layout.inspect", tr("Layout: inspect"), LayoutPreset::Inspect},
        {"layout.train", tr("Layout: train"), LayoutPreset::Train},
        {"layout.teach", tr("Layout: teach"), LayoutPreset::Teach},
    };
    int number = 1;
    for (const auto& [id, title, preset] : presets)
        add(QLatin1String(id), MenuId::View, title, {},
            {QKeySequence(QStringLiteral("Ctrl+Alt+%1").arg(number++))},
            [&docks, chosen = preset] { docks.apply(chosen); });
}

void ViewActions::addPresenter(PresenterMode& presenter) {
    QAction* action = addCheckable(QStringLiteral("layout.presenter"), MenuId::View,
                                   tr("Presenter mode"), QStringLiteral("present"),
                                   {QKeySequence("F11"), QKeySequence("Ctrl+Shift+F")});
    connect(action, &QAction::toggled, &presenter, &PresenterMode::setOn);
    connect(&presenter, &PresenterMode::toggled, action, &QAction::setChecked);
}

}  // namespace temper::ui
