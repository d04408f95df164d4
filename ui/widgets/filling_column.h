// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace temper::ui {

enum class OtherColumns { FitContents, KeepWidth };

/// One column takes the room that the others leave. Unlike a stretched section, it is never
/// narrower than its own texts, up to 14 times the line height: then the table scrolls.
void fillWithColumn(QTableView* table, int column, OtherColumns others = OtherColumns::FitContents);

}  // namespace temper::ui
