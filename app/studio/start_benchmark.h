// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace temper {

/// Prints how long the program took from its start as a process until the window was painted, then
/// ends the event loop: "cold start: 312 ms". The clock of processes counts in hundredths of a
/// second.
void printColdStart(QWidget& window);

}  // namespace temper
