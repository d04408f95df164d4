// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Finds commands, explains the shown page, describes the program.
class HelpActions : public ActionGroup {
    Q_OBJECT
public:
    explicit HelpActions(const WindowContext& context);

    /// Sets the shown page: the explanations follow it.
    void setPage(const QWidget* page);

private:
    void showPalette();
    void showShortcuts();
    void copyReport();
    void showAbout();
    /// Explains the widget with the focus, else the page.
    void explainThis();
    void explainTerm(const QString& id);

    const QWidget* page_ = nullptr;
};

}  // namespace temper::ui
