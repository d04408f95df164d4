// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QPalette>
#include <functional>
#include <map>
#include <vector>

#include "ui/panels/panel.h"
#include "ui/project/recent_files.h"
#include "ui/project/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/training_actions.h"
#include "ui/theme/theme.h"

class QLabel;
class QProgressBar;
class QSettings;
class QStackedWidget;

namespace temper::ui {

class Banner;
class StageRail;

/// The window: stage rail, pages, menus. It knows pages only by their PanelInfo.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `system` is the palette that the desktop gave.
    MainWindow(QSettings& settings, const QPalette& system, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// A model, a specification, a checkpoint or data: told from name and content.
    void openPath(const QString& path);
    void openLesson(const QString& name) { project_.openLesson(name); }
    void showPage(const QString& id);
    QString currentPage() const;
    QWidget* page(const QString& id) const;
    void setTheme(ThemeMode mode);

    StudioProject& project() { return project_; }
    RunModel& run() { return run_; }
    RunController& controller() { return controller_; }
    TrainingActions& training() { return training_; }
    RecentFiles& recentFiles() { return recent_; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* buildCenter();
    void buildMenus();
    void buildFileMenu();
    void buildViewMenu();
    void buildStatusBar();
    void askOpen();
    void askSave();
    /// Asks before a run is given up; then `proceed`.
    void whenIdle(const QString& question, std::function<void()> proceed);
    void afterRun(std::function<void()> proceed);
    void openData(const QString& path);
    void openCheckpoint(const QString& path);
    void modelOpened();
    void refreshStages();
    void refreshTitle();
    void refreshStatus();
    void showAbout();
    void report(const Problem& problem);

    QSettings& settings_;
    QPalette system_;
    StudioProject project_;
    RunModel run_;
    RunController controller_;
    Navigator navigator_;
    TrainingActions training_;
    RecentFiles recent_;
    std::vector<PanelInfo> panels_;
    std::map<QString, QWidget*> pages_;
    QString current_;
    StageRail* rail_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    Banner* banner_ = nullptr;
    QLabel* modelLabel_ = nullptr;
    QLabel* taskLabel_ = nullptr;
    QProgressBar* busy_ = nullptr;
    bool quitting_ = false;
};

}  // namespace temper::ui
