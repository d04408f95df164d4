// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Ends the window, or has it opened once more. Asks if a training runs.
class QuitActions : public ActionGroup {
    Q_OBJECT
public:
    explicit QuitActions(const WindowContext& context);

    /// Whether the window may close now. If not, a question has been asked, and the window is
    /// closed once more if the person agrees.
    bool mayClose();
    /// Closes the window to be opened once more.
    void restart();
    bool wantsRestart() const { return wantsRestart_; }

private:
    void quit();

    bool isQuitting_ = false;
    bool wantsRestart_ = false;
};

}  // namespace temper::ui
