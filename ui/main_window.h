// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QPalette>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "ui/commands/command_registry.h"
#include "ui/docks/dock.h"
#include "ui/docks/log/log_model.h"
#include "ui/document/autosave.h"
#include "ui/document/recent_files.h"
#include "ui/document/studio_project.h"
#include "ui/panels/panel.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"
#include "ui/run/training_actions.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"

class QSettings;
class QStackedWidget;

namespace temper::ui {

class DetailView;
class PresenterMode;
class StageRail;
class ViewState;
class WindowDocks;

/// The window: stage rail, pages, docks, menus. It knows pages and docks only by their PanelInfo
/// and DockInfo.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `system` is the palette that the desktop gave; `tools` are docks of plugins.
    MainWindow(QSettings& settings, const QPalette& system, QWidget* parent = nullptr,
               const std::vector<DockInfo>& tools = {});
    ~MainWindow() override;

    /// A model, a specification, a checkpoint or data: told from name and content.
    void openPath(const QString& path);
    /// The weights of the open model with those of another one, or of a checkpoint.
    void compareModelWith(const QString& path);
    void openLesson(const QString& name) { project_.openLesson(name); }
    /// Starts training once, as soon as the project that is being opened is ready.
    void startWhenReady();
    void showPage(const QString& id);
    void showDock(const QString& id);
    QString currentPage() const;
    QWidget* page(const QString& id) const;
    void setTheme(ThemeMode mode);
    /// Shows a problem that is no page's own; the log keeps it.
    void report(const Problem& problem);
    /// As PNG, in a task; a file that can't be written is reported.
    void savePicture(const QImage& picture, const QString& path);
    /// The desktop has other colours now.
    void setSystemPalette(const QPalette& system);
    /// What the desktop says it prefers; ThemeMode::System: its palette tells.
    void setDesktopMode(ThemeMode mode);
    /// Nothing moves by itself.
    void setCalm(bool isCalm);
    /// A code of languages(), or empty: that of the desktop. Shown from the next start on.
    void setLanguage(const QString& code);
    /// Closes the window, after a question where a training runs, to be opened once more.
    void restart();
    bool wantsRestart() const { return wantsRestart_; }
    /// What reopen() shows again: the project's folder, or its model; empty where nothing is open.
    QString openedPath() const;
    void reopen(const QString& openedPath);

    StudioProject& project() { return project_; }
    RunModel& run() { return run_; }
    RunController& controller() { return controller_; }
    RunHistory& history() { return history_; }
    TrainingActions& training() { return training_; }
    RecentFiles& recentFiles() { return recent_; }
    Autosave& autosave() { return autosave_; }
    CommandRegistry& commands() { return commands_; }
    WindowDocks& docks() { return *docks_; }
    LogModel& log() { return log_; }
    PresenterMode& presenter() { return *presenter_; }

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    template <typename F>
    QAction* addCommand(const QString& id, MenuId menu, const QString& text, const QString& icon,
                        const QKeySequence& keys, F slot);

    PanelContext context();
    QWidget* buildCenter();
    void buildMenuBar();
    void buildCommands();
    void buildFileCommands();
    void buildEditCommands();
    void buildViewCommands();
    void buildLayoutCommands();
    void buildPresenterCommand();
    void buildThemeCommands();
    void buildMotionCommand();
    ThemeMode themeMode() const;
    ThemeMode shownMode() const;
    void buildLanguageCommands();
    void buildTrainingCommands();
    void buildHelpCommands();
    void buildToolBar();
    void buildStatusBar();
    void connectAll();
    void connectLog();
    void addToMenu(const Command& command);
    void askOpen();
    void askSave();
    void askSaveAs();
    void askSaveChoices();
    void askSaveArchive(bool withRuns);
    void tellOfArchive(const QString& path, qint64 bytes, const QStringList& leftOut);
    void tellOfUnpacked(const QString& path, bool wasThere);
    void closeProject();
    void copyAsCommand();
    void copyAsScript();
    bool canBeRepeated();
    std::filesystem::path placeOfProject() const;
    void copyDefectReport();
    void copy(const QString& content, const QString& message);
    void askPicture();
    void offerToContinue(const UnfinishedRun& found);
    void offerReload(const QString& path);
    void offerLastProject();
    /// A message across the window whose button does something.
    void offer(Banner::Kind kind, const Problem& message, const QString& button,
               std::function<void()> action);
    void askArtifactFolder();
    /// Asks before a run is given up; then `proceed`.
    void whenIdle(const QString& question, std::function<void()> proceed);
    void afterRun(std::function<void()> proceed);
    void openData(const QString& path);
    void openCheckpoint(const QString& path);
    /// Of two checkpoints or models.
    void compareWeights(const QString& first, const QString& second);
    void askCompare();
    void askCompareModel();
    void modelOpened();
    void refreshStages();
    void refreshTitle();
    /// What has the focus, else the page.
    void explainThis();
    void explainTerm(const QString& id);
    void explainPage();
    void showShortcuts();
    void showPalette();
    void showAbout();

    QSettings& settings_;
    QPalette system_;
    ThemeMode desktopMode_ = ThemeMode::System;
    StudioProject project_;
    RunModel run_;
    RunController controller_;
    RunHistory history_;
    Navigator navigator_;
    CommandRegistry commands_;
    LogModel log_;
    TrainingActions training_;
    RecentFiles recent_;
    Autosave autosave_;
    std::vector<PanelInfo> panels_;
    std::map<QString, QWidget*> pages_;
    int shownGeneration_ = 0;  ///< of the project, when modelOpened() looked at it last
    std::map<MenuId, QMenu*> menus_;
    std::map<MenuId, QString> lastGroup_;
    QString current_;
    DetailView* inspector_ = nullptr;
    WindowDocks* docks_ = nullptr;
    PresenterMode* presenter_ = nullptr;
    StageRail* rail_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    Banner* banner_ = nullptr;
    std::function<void()> bannerAction_;
    std::unique_ptr<ViewState> viewState_;
    bool quitting_ = false;
    bool wantsRestart_ = false;
};

}  // namespace temper::ui
