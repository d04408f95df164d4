// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace temper::ui {

/// Makes columns as wide as their contents; one takes any remaining room. Unlike a stretched
/// section, it is never narrower than its own texts, up to 14 times the line height: then the table
/// scrolls.
void fillWithColumn(QTableView* table, int column);

}  // namespace temper::ui
