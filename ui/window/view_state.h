// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace temper::ui {

class PageStack;
class PresenterMode;
class StudioProject;
class WindowDocks;

/// Shows the window as a project was left: its page, docks and how pages are divided; kept when the
/// project is saved. Pages keep their own views.
class ViewState : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it.
    ViewState(StudioProject& project, PageStack& pages, WindowDocks& docks,
              const PresenterMode& presenter);

private:
    void keep();
    void show();
    void showPage();
    /// Returns: whether the project had docks.
    bool restore();

    StudioProject& project_;
    PageStack& pages_;
    WindowDocks& docks_;
    const PresenterMode& presenter_;
    int shownGeneration_ = 0;  ///< of the project, when a model was opened last
};

}  // namespace temper::ui
