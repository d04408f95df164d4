// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Finds commands, explains what is shown, says what the program is.
class HelpActions : public ActionGroup {
    Q_OBJECT
public:
    explicit HelpActions(const WindowContext& context);

    /// The page that is shown now: the explanations follow it.
    void setPage(const QWidget* page);

private:
    void showPalette();
    void showShortcuts();
    void copyReport();
    void showAbout();
    /// What has the focus, else the page.
    void explainThis();
    void explainTerm(const QString& id);

    const QWidget* page_ = nullptr;
};

}  // namespace temper::ui
