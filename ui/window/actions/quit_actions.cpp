// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/quit_actions.h"

#include <QMainWindow>
#include <utility>

#include "ui/window/leave_guard.h"
#include "ui/window/run_guard.h"
#include "ui/window/workspace.h"

namespace temper::ui {

QuitActions::QuitActions(const WindowContext& context) : ActionGroup(context) {
    add(QStringLiteral("window.quit"), MenuId::File, tr("Quit"), {}, {QKeySequence("Ctrl+Q")},
        [this] { context_.window.close(); });
}

bool QuitActions::mayClose() {
    if (std::exchange(isAgreed_, false)) return true;
    isClosing_ = true;
    context_.leaving.leave(tr("Stop training and quit?"), [this] { quit(); });
    isClosing_ = false;
    return std::exchange(isAgreed_, false);
}

void QuitActions::restart() {
    context_.guard.whenIdle(tr("Stop training and restart?"), [this] {
        wantsRestart_ = true;
        quit();
    });
}

void QuitActions::quit() {
    isAgreed_ = true;
    if (!isClosing_) context_.window.close();
}

}  // namespace temper::ui
