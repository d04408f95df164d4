// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <memory>
#include <vector>

#include "ui/docks/dock.h"
#include "ui/window/workspace.h"

class QPalette;

namespace temper::ui {

class AppearanceActions;
class CompareActions;
class LanguageActions;
class Messages;
class OpenActions;
class PageStack;
class PictureActions;
class PresenterMode;
class QuitActions;
class WindowDocks;

/// The window: combines the Workspace, pages, docks and groups of actions, and forwards events of
/// the desktop. The behaviour of an action is in its group; see ui/window/actions.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `system`: the palette of the desktop; `tools`: docks of plugins.
    MainWindow(QSettings& settings, const QPalette& system, QWidget* parent = nullptr,
               const std::vector<DockInfo>& tools = {});
    ~MainWindow() override;

    Workspace& work() { return work_; }
    Messages& messages();
    PageStack& pages();
    WindowDocks& docks() { return *docks_; }
    PresenterMode& presenter() { return *presenter_; }
    OpenActions& files();
    CompareActions& comparison();
    PictureActions& pictures();
    QuitActions& quitting();
    AppearanceActions& appearance();
    LanguageActions& language();

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void customEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Parts;

    void buildPages(const std::vector<DockInfo>& tools);
    void buildView(const QPalette& system);
    void buildStatusBar();
    void connectAll();
    bool isTraining() const;
    void tellOfRunsEnd();

    Workspace work_;
    WindowDocks* docks_ = nullptr;
    PresenterMode* presenter_ = nullptr;
    std::unique_ptr<Parts> parts_;
};

}  // namespace temper::ui
