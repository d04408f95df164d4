// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

#include "ui/theme/theme.h"
#include "ui/window/actions/action_group.h"

namespace temper::ui {

class PresenterMode;
class WindowDocks;

/// Colours, motion and font size.
class AppearanceActions : public ActionGroup {
    Q_OBJECT
public:
    /// `system`: the palette of the desktop. The others outlive it.
    AppearanceActions(const WindowContext& context, const QPalette& system, WindowDocks& docks,
                      PresenterMode& presenter);

    void setTheme(ThemeMode mode);
    /// The desktop has changed its colours.
    void setSystemPalette(const QPalette& system);
    /// The preference reported by the desktop; ThemeMode::System: its palette decides.
    void setDesktopMode(ThemeMode mode);
    /// Turns animations off.
    void setCalm(bool isCalm);

private:
    void addThemes();
    void addCalm();
    ThemeMode chosenMode() const;
    /// If the user leaves it to the desktop, its preference precedes its palette.
    ThemeMode shownMode() const;

    QPalette system_;
    ThemeMode desktopMode_ = ThemeMode::System;
    WindowDocks& docks_;
    PresenterMode& presenter_;
};

}  // namespace temper::ui
