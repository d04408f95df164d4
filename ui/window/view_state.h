// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>

class QWidget;

namespace temper::ui {

class PresenterMode;
class StudioProject;
class WindowDocks;

/// The window as a project was left: docks and how pages are divided. Pages keep their own views.
class ViewState {
public:
    ViewState(StudioProject& project, WindowDocks& docks, const PresenterMode& presenter,
              const std::map<QString, QWidget*>& pages);

    /// Into the project; a room that looks on changes nothing of it.
    void keep();
    /// Returns: whether the project had one.
    bool restore();

private:
    StudioProject& project_;
    WindowDocks& docks_;
    const PresenterMode& presenter_;
    const std::map<QString, QWidget*>& pages_;
};

}  // namespace temper::ui
