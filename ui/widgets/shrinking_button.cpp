// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/shrinking_button.h"

#include <QStyle>
#include <QStyleOptionToolButton>

#include "ui/theme/theme.h"

namespace temper::ui {

ShrinkingButton::ShrinkingButton(QWidget* parent) : QToolButton(parent) {
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    // Qt's own buttons are never smaller than their size hint.
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

QSize ShrinkingButton::sizeAs(Qt::ToolButtonStyle as) const {
    QStyleOptionToolButton option;
    initStyleOption(&option);
    option.toolButtonStyle = as;
    QSize content = iconSize();
    if (as == Qt::ToolButtonTextBesideIcon) {
        // As in Qt's own buttons: a gap beside the icon.
        const QSize text = fontMetrics().size(Qt::TextShowMnemonic, this->text());
        content.rwidth() += text.width() + em(this, 0.6);
        content.setHeight(std::max(content.height(), text.height()));
    }
    return style()->sizeFromContents(QStyle::CT_ToolButton, &option, content, this);
}

QSize ShrinkingButton::sizeHint() const { return sizeAs(Qt::ToolButtonTextBesideIcon); }

QSize ShrinkingButton::minimumSizeHint() const { return sizeAs(Qt::ToolButtonIconOnly); }

void ShrinkingButton::resizeEvent(QResizeEvent* event) {
    QToolButton::resizeEvent(event);
    const bool hasRoom = width() >= sizeHint().width();
    const auto wanted = hasRoom ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly;
    if (toolButtonStyle() != wanted) setToolButtonStyle(wanted);
}

}  // namespace temper::ui
