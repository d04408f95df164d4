// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/narrow_combo.h"

#include <QComboBox>

namespace temper::ui {
namespace {

constexpr int kShownLetters = 6;

}  // namespace

void mayBeNarrow(QComboBox& box) {
    box.setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box.setMaximumWidth(box.sizeHint().width());
    box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box.setMinimumContentsLength(kShownLetters);
    box.setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

}  // namespace temper::ui
