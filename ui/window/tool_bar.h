// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMainWindow;

namespace temper::ui {

class CommandRegistry;
class PageStack;

/// Builds the window's tool bar from the commands registered so far; showing it also becomes a
/// command. The page Train has buttons for the run itself: there the bar has none.
void buildToolBar(QMainWindow& window, CommandRegistry& commands, PageStack& pages);

}  // namespace temper::ui
