// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace temper::ui {

class PageStack;
class PresenterMode;
class StudioProject;
class WindowDocks;

/// Restores the window state of a project: its page, docks and how pages are divided; saved with
/// the project. Pages keep their own views.
class ViewState : public QObject {
    Q_OBJECT
public:
    /// All arguments outlive it.
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
    int shownGeneration_ = 0;  ///< of the project, when a model was last opened
};

}  // namespace temper::ui
