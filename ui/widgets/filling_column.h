// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace temper::ui {

/// Columns as wide as what is in them; one takes the room that is left, if there is some. Unlike a
/// stretched section it never has less than its own texts need, up to 14 lines' height: then the
/// table scrolls.
void fillWithColumn(QTableView* table, int column);

}  // namespace temper::ui
