// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemView>
#include <QLineEdit>

#include "tests/ui/window_driver.h"

namespace temper::ui {

/// Counts a person's actions: drops, clicks, fields that are filled in.
class Person {
public:
    explicit Person(WindowDriver& driver) : driver_(driver) {}

    int actions() const { return actions_; }

    /// Drops a file or folder on the window.
    void drop(const QString& path);
    /// Clicks the button with this name; false if it can't be clicked.
    bool click(const QString& name);
    bool click(QAbstractButton* button);
    /// Clicks the command's button in the tool bar; its text may have changed.
    bool clickTool(const QString& command);
    /// By its key or the menu.
    void command(const QString& id);
    /// An entry of the menu at this place in the view; false if there is none.
    bool choose(QAbstractItemView& view, QPoint at, const QString& entry);
    void fill(QLineEdit& field, const QString& text);

private:
    WindowDriver& driver_;
    int actions_ = 0;
};

}  // namespace temper::ui
