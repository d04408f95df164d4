// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/narrow_combo.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>

#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

constexpr int kShownLetters = 6;

}  // namespace

void NarrowCombo::limitWidth() {
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    setMaximumWidth(sizeHint().width());
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kShownLetters);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void NarrowCombo::paintEvent(QPaintEvent* /*event*/) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field =
        style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    const QStringList beside{itemText(currentIndex() - 1), itemText(currentIndex() + 1)};
    // The style's margin beside the text varies; the width of one letter is enough.
    option.currentText = fontMetrics().elidedText(
        option.currentText, elideModeOf(option.currentText, beside), field.width() - em(this, 0.4));
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace temper::ui
