// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>

class QAction;

namespace temper::ui {

/// A push button that shows an action's text and state, the icon named by its data, and triggers
/// it.
class ActionButton : public QPushButton {
    Q_OBJECT
public:
    ActionButton(QAction* action, bool primary, QWidget* parent = nullptr);
    /// It is what a person most likely wants next.
    void setPrimary(bool primary);

private:
    void refresh();

    QAction* action_;
};

}  // namespace temper::ui
