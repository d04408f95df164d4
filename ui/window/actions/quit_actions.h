// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Closes the window, or reopens it. Asks if a training runs.
class QuitActions : public ActionGroup {
    Q_OBJECT
public:
    explicit QuitActions(const WindowContext& context);

    /// Whether the window may close now. If not, a question was asked, and the window is closed
    /// again if the user agrees.
    bool mayClose();
    /// Closes the window and reopens it.
    void restart();
    bool wantsRestart() const { return wantsRestart_; }

private:
    void quit();

    bool isClosing_ = false;  ///< the window asks whether it may close
    bool isAgreed_ = false;   ///< to close the window, this time
    bool wantsRestart_ = false;
};

}  // namespace temper::ui
