// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/inspector/inspector_dock.h"

#include "ui/panels/model/detail_view.h"
#include "ui/translation/tr.h"

namespace temper::ui {

DockInfo inspectorDock() {
    return {.id = "inspector",
            .title = tr("Inspector"),
            .icon = "search",
            .area = Qt::RightDockWidgetArea,
            .shortcut = QKeySequence("Ctrl+Shift+I"),
            .pages = {"model"},
            .create = [](const PanelContext& context, QWidget*) -> QWidget* {
                return &context.inspector;
            },
            .term = "operator",
            .layouts = {LayoutPreset::Inspect}};
}

}  // namespace temper::ui
