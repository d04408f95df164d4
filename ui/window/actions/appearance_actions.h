// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

#include "ui/theme/theme.h"
#include "ui/window/actions/action_group.h"

namespace temper::ui {

class PresenterMode;
class WindowDocks;

/// Colours, motion and the size of type.
class AppearanceActions : public ActionGroup {
    Q_OBJECT
public:
    /// `system` is the palette that the desktop gave. The others outlive it.
    AppearanceActions(const WindowContext& context, const QPalette& system, WindowDocks& docks,
                      PresenterMode& presenter);

    void setTheme(ThemeMode mode);
    /// The desktop has other colours now.
    void setSystemPalette(const QPalette& system);
    /// What the desktop says it prefers; ThemeMode::System: its palette tells.
    void setDesktopMode(ThemeMode mode);
    /// Nothing moves by itself.
    void setCalm(bool isCalm);

private:
    void addThemes();
    void addCalm();
    ThemeMode chosenMode() const;
    /// If the person leaves it to the desktop, what that prefers comes before its palette.
    ThemeMode shownMode() const;

    QPalette system_;
    ThemeMode desktopMode_ = ThemeMode::System;
    WindowDocks& docks_;
    PresenterMode& presenter_;
};

}  // namespace temper::ui
