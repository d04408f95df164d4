// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace temper {

/// Prints the time from the start of the process until the window is painted, then ends the event
/// loop: "cold start: 312 ms". Process start times have a resolution of a hundredth of a second.
void printColdStart(QWidget& window);

}  // namespace temper
