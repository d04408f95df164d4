// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// The language of the window.
class LanguageActions : public ActionGroup {
    Q_OBJECT
public:
    explicit LanguageActions(const WindowContext& context);

    /// `code`: from languages(), or empty for that of the desktop. Takes effect at the next start.
    void setLanguage(const QString& code);

signals:
    void restartRequested();
};

}  // namespace temper::ui
