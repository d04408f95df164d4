// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QComboBox;

namespace temper::ui {

/// A narrow window may cut the text of the box off, whose list shows it whole; where there is room
/// it is as wide as its longest entry. Give it a stretch in its row. For a box with its entries.
void mayBeNarrow(QComboBox& box);

}  // namespace temper::ui
