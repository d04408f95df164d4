// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/action_button.h"

#include <QAction>
#include <QStyle>

#include "ui/theme/icons.h"

namespace temper::ui {

ActionButton::ActionButton(QAction* action, bool primary, QWidget* parent)
    : QPushButton(parent), action_(action) {
    setProperty("primary", primary);
    connect(action_, &QAction::changed, this, &ActionButton::refresh);
    connect(this, &QPushButton::clicked, action_, &QAction::trigger);
    refresh();
}

void ActionButton::setPrimary(bool primary) {
    if (property("primary").toBool() == primary) return;
    setProperty("primary", primary);
    style()->polish(this);
    refresh();
}

void ActionButton::refresh() {
    setText(action_->text());
    setEnabled(action_->isEnabled());
    const QString icon = action_->data().toString();
    setIcon(property("primary").toBool() && isEnabled() ? accentIcon(icon) : themedIcon(icon));
    setToolTip(action_->shortcut().toString(QKeySequence::NativeText));
}

}  // namespace temper::ui
