// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMainWindow;

namespace temper::ui {

class LeaveGuard;
class Messages;
class RunGuard;
class Workspace;

/// The context of a part of the window; all of it outlives the part.
struct WindowContext {
    QMainWindow& window;  ///< dialogs appear over it
    Workspace& work;
    Messages& messages;
    RunGuard& guard;
    LeaveGuard& leaving;
};

}  // namespace temper::ui
