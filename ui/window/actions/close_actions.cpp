// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/close_actions.h"

#include "ui/window/leave_guard.h"
#include "ui/window/workspace.h"

namespace temper::ui {

CloseActions::CloseActions(const WindowContext& context) : ActionGroup(context) {
    needModel({add(QStringLiteral("file.close"), MenuId::File, tr("Close"), {},
                   {QKeySequence("Ctrl+W")}, [this] {
                       context_.leaving.leave(tr("Stop training and close the project?"),
                                              [this] { context_.work.project.closeModel(); });
                   })});
}

}  // namespace temper::ui
