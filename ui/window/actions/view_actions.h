// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

class PageStack;
class PresenterMode;
class WindowDocks;

/// Which pages and docks are shown, and their layout.
class ViewActions : public ActionGroup {
    Q_OBJECT
public:
    /// All arguments outlive it.
    ViewActions(const WindowContext& context, PageStack& pages, WindowDocks& docks,
                PresenterMode& presenter);

private:
    void addPages(PageStack& pages);
    void addLayouts(WindowDocks& docks);
    void addPresenter(PresenterMode& presenter);
};

}  // namespace temper::ui
