// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMainWindow;

namespace temper::ui {

class CommandRegistry;

/// Builds the window's tool bar from the commands registered so far; showing it also becomes a
/// command.
void buildToolBar(QMainWindow& window, CommandRegistry& commands);

}  // namespace temper::ui
