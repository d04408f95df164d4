// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMainWindow;

namespace temper::ui {

class CommandRegistry;

/// The window's tool bar, of commands that are registered by now; showing it becomes one, too.
void buildToolBar(QMainWindow& window, CommandRegistry& commands);

}  // namespace temper::ui
