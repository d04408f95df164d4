// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QUrl>
#include <QVBoxLayout>

#include "engine/training/projects/project_file.h"
#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/document/file_kind.h"
#include "ui/explain/explain.h"
#include "ui/panels/model/detail_view.h"
#include "ui/panels/start/start_page.h"
#include "ui/widgets/open_window.h"
#include "ui/window/draft_banner.h"
#include "ui/window/page_frame.h"
#include "ui/window/presenter_mode.h"
#include "ui/window/stage_rail.h"
#include "ui/window/view_state.h"
#include "ui/window/wheel_guard.h"
#include "ui/window/window_docks.h"

/// Links the icons, which lie in a static library. Has to be outside of namespaces.
static void initIcons() { Q_INIT_RESOURCE(icons); }

namespace temper::ui {
namespace {

constexpr auto kStartPage = "start";
constexpr auto kThemeKey = "theme";
constexpr auto kGeometryKey = "geometry";
constexpr auto kScratchKey = "scratchFolder";
constexpr auto kLastProjectKey = "lastProject";

/// Projects that nobody has saved yet lie here.
QString scratchRoot(const QSettings& settings) {
    const QString standard =
        QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) +
        QStringLiteral("/unsaved");
    return settings.value(kScratchKey, standard).toString();
}

}  // namespace

MainWindow::MainWindow(QSettings& settings, const QPalette& system, QWidget* parent,
                       const std::vector<DockInfo>& tools)
    : QMainWindow(parent),
      settings_(settings),
      system_(system),
      controller_(&run_),
      history_(project_, run_, controller_),
      commands_(settings),
      training_(project_, run_, controller_, navigator_, history_),
      recent_(settings),
      autosave_(project_, scratchRoot(settings) + QStringLiteral("/drafts")),
      panels_(panels()) {
    initIcons();
    setAcceptDrops(true);
    QCoreApplication::instance()->installEventFilter(new WheelGuard(this));
    project_.setScratchRoot(scratchRoot(settings_));
    connect(&commands_, &CommandRegistry::added, this, &MainWindow::addToMenu);
    buildMenuBar();
    buildCommands();
    inspector_ = new DetailView(this);
    setCentralWidget(buildCenter());
    resize(QSize(em(this, 82), em(this, 50)).boundedTo(screen()->availableSize()));
    restoreGeometry(settings_.value(kGeometryKey).toByteArray());
    docks_ = new WindowDocks(*this, settings_, context(), tools);
    presenter_ = new PresenterMode(*this, *rail_, *docks_);
    viewState_ = std::make_unique<ViewState>(project_, *docks_, *presenter_, pages_);
    buildViewCommands();
    buildToolBar();
    buildStatusBar();
    connectAll();
    connectLog();
    showPage(kStartPage);
    refreshStages();
    offerLastProject();
}

void MainWindow::connectAll() {
    connect(&navigator_, &Navigator::pageRequested, this, &MainWindow::showPage);
    connect(&navigator_, &Navigator::dockRequested, this, &MainWindow::showDock);
    connect(&navigator_, &Navigator::nodeRequested, this,
            [this] { showPage(QStringLiteral("model")); });
    connect(&navigator_, &Navigator::openRequested, this, &MainWindow::askOpen);
    connect(&navigator_, &Navigator::termRequested, this, &MainWindow::explainTerm);
    connect(&navigator_, &Navigator::lessonRequested, this, [this](const QString& name) {
        whenIdle(tr("Stop training and open the lesson?"), [this, name] { openLesson(name); });
    });
    connect(inspector_, &DetailView::selectionShown, docks_,
            [this] { docks_->raise(QStringLiteral("inspector")); });
    connect(&navigator_, &Navigator::commandRequested, this, [this](const QString& id) {
        if (QAction* action = commands_.action(id)) action->trigger();
    });
    connect(&project_, &StudioProject::problemFound, this, &MainWindow::report);
    connect(&project_, &StudioProject::modelChanged, this, &MainWindow::modelOpened);
    connect(&project_, &StudioProject::fileOpened, &recent_, &RecentFiles::add);
    connect(&project_, &StudioProject::folderChanged, this,
            [this] { settings_.setValue(kLastProjectKey, project_.folder()); });
    connect(&project_, &StudioProject::fileChanged, this, &MainWindow::offerReload);
    connect(&project_, &StudioProject::archiveSaved, this, &MainWindow::tellOfArchive);
    connect(&project_, &StudioProject::archiveOpened, this, &MainWindow::tellOfUnpacked);
    connect(&project_, &StudioProject::saved, this, &MainWindow::refreshTitle);
    connect(&project_, &StudioProject::aboutToSave, this, [this] {
        project_.setView(QStringLiteral("page"), current_);
        viewState_->keep();
    });
    connect(&history_, &RunHistory::failed, this, &MainWindow::report);
    connect(&history_, &RunHistory::unfinishedFound, this, &MainWindow::offerToContinue);
    connect(&history_, &RunHistory::readyToContinue, this, [this] {
        training_.continueFromLoaded();
        training_.start()->trigger();
    });
    connect(&run_, &RunModel::stateChanged, this, [this] {
        if (!run_.isActive()) project_.moveRunsWhenIdle();
    });
    connect(banner_, &Banner::actionTriggered, this, [this] {
        banner_->hide();
        if (const auto action = std::exchange(bannerAction_, {})) action();
    });
    connect(project_.undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::refreshTitle);
    for (const auto signal : {&StudioProject::specChanged, &StudioProject::dataChanged,
                              &StudioProject::preparationChanged})
        connect(&project_, signal, this, &MainWindow::refreshStages);
    connect(&controller_, &RunController::sessionChanged, this, &MainWindow::refreshStages);
    connect(&run_, &RunModel::stateChanged, this, &MainWindow::refreshStages);
    connect(&run_, &RunModel::updated, this, &MainWindow::refreshStages);
}

MainWindow::~MainWindow() {
    presenter_->setOn(false);
    // Pages, docks and dialogs refer to the members below: they go first, without a last edit.
    // Members that say a last word in their destructor, as the undo stack does, find nobody who
    // listens.
    const std::initializer_list<QObject*> members = {
        &project_, project_.undoStack(), project_.tasks(), &run_, &controller_, &navigator_,
        &history_, &training_,           &recent_,         &log_, &commands_};
    for (QObject* member : members) disconnect(member, nullptr, this, nullptr);
    hide();
    // Dialogs that are still open, too: a tensor view in one cancels what it waits for.
    for (QDialog* dialog : findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly))
        delete dialog;
    delete takeCentralWidget();
    for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        delete dock;
}

PanelContext MainWindow::context() {
    return {project_,  run_,      controller_, navigator_, history_,
            training_, commands_, *inspector_, log_,       settings_};
}

QWidget* MainWindow::buildCenter() {
    auto* center = new PageFrame(this);
    rail_ = center->rail();
    rail_->addStage(kStartPage, QStringLiteral("home"), tr("Start"));
    rail_->addGap();
    for (const PanelInfo& panel : panels_) rail_->addStage(panel.id, panel.icon, panel.title);
    rail_->finish();
    banner_ = new Banner(center);
    banner_->setAccessibleName(tr("Message"));
    center->column()->addWidget(banner_);
    center->column()->addWidget(new DraftBanner(autosave_, center));
    stack_ = new QStackedWidget(center);
    center->column()->addWidget(stack_, 1);
    auto* start = new StartPage(recent_, stack_);
    connect(start, &StartPage::lessonRequested, &navigator_, &Navigator::lessonRequested);
    connect(start, &StartPage::fileRequested, this, &MainWindow::openPath);
    connect(start, &StartPage::openRequested, this, &MainWindow::askOpen);
    pages_[kStartPage] = explain(start, QStringLiteral("graph"));
    stack_->addWidget(start);
    const PanelContext panelContext = context();
    for (const PanelInfo& panel : panels_) {
        QWidget* widget = explain(panel.create(panelContext, stack_), panel.term);
        pages_[panel.id] = widget;
        stack_->addWidget(widget);
    }
    connect(rail_, &StageRail::stageRequested, this, &MainWindow::showPage);
    return center;
}

ThemeMode MainWindow::themeMode() const {
    return themeFromKey(settings_.value(kThemeKey).toString());
}

void MainWindow::setTheme(ThemeMode mode) {
    settings_.setValue(kThemeKey, themeKey(mode));
    applyTheme(*qApp, shownMode(), system_, presenter_->typeScale());
}

/// Where the person leaves it to the desktop, what that prefers comes before its palette.
ThemeMode MainWindow::shownMode() const {
    const ThemeMode mode = themeMode();
    return mode == ThemeMode::System ? desktopMode_ : mode;
}

void MainWindow::setDesktopMode(ThemeMode mode) {
    const bool wasDark = isDarkTheme(shownMode(), system_);
    desktopMode_ = mode;
    if (isDarkTheme(shownMode(), system_) != wasDark) setTheme(themeMode());
}

void MainWindow::setSystemPalette(const QPalette& system) {
    system_ = system;
    setTheme(themeMode());
}

void MainWindow::setCalm(bool isCalm) {
    temper::ui::setCalm(*qApp, isCalm);
    docks_->setAnimated(!isCalm);
    setTheme(themeMode());
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    // Applying the theme is no change of the desktop's.
    if (event->type() == QEvent::ThemeChange) setSystemPalette(desktopPalette());
}

void MainWindow::startWhenReady() {
    auto* once = new QObject(this);
    connect(&project_, &StudioProject::preparationChanged, once, [this, once] {
        if (!project_.isReadyToTrain()) return;
        once->deleteLater();
        disconnect(&project_, nullptr, once, nullptr);
        training_.start()->trigger();
    });
}

void MainWindow::showPage(const QString& id) {
    const auto found = pages_.find(id);
    if (found == pages_.end()) return;
    current_ = id;
    // Only the page that is shown asks for room: docks may have the rest.
    for (const auto& [other, widget] : pages_) {
        const auto policy = other == id ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        widget->setSizePolicy(policy, policy);
    }
    stack_->setCurrentWidget(found->second);
    rail_->setCurrent(id);
    docks_->setPage(id);
    explainPage();
}

void MainWindow::showDock(const QString& id) { docks_->show(id); }

QString MainWindow::currentPage() const { return current_; }

QWidget* MainWindow::page(const QString& id) const { return pages_.at(id); }

void MainWindow::askOpen() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open"), {},
        tr("Models and projects (*.onnx *.ort *.json *.temper);;All files (*)"));
    if (!path.isEmpty()) openPath(path);
}

void MainWindow::openPath(const QString& path) {
    banner_->hide();
    switch (kindOfFile(path)) {
        case FileKind::Checkpoint: return openCheckpoint(path);
        case FileKind::Data: return openData(path);
        case FileKind::Model: break;
    }
    whenIdle(tr("Stop training and open %1?").arg(QFileInfo(path).fileName()),
             [this, path] { project_.openFile(path); });
}

void MainWindow::openData(const QString& path) {
    if (!project_.model())
        return report({tr("%1 is data, not a model").arg(QFileInfo(path).fileName()),
                       tr("Data belongs to a model."),
                       tr("Open a model first, then drop the data again.")});
    try {
        TrainingSpec spec = project_.spec();
        spec.run.data = proposeDataSpec(path.toStdString());
        spec.run.evalData.clear();
        spec.run.binding.clear();
        project_.edit(tr("Choose training data"), spec);
        showPage(QStringLiteral("data"));
    } catch (...) {
        report(problemFrom(std::current_exception(), tr("This data can't be read")));
    }
}

void MainWindow::openCheckpoint(const QString& path) {
    auto* dialog = new CheckpointDialog(path, *project_.tasks(), this);
    dialog->setModel(project_.model());
    openWindow(dialog);
}

void MainWindow::modelOpened() {
    banner_->hide();
    settings_.setValue(kLastProjectKey, project_.folder());
    controller_.clear();
    refreshStages();
    refreshTitle();
    // The same model with another head: whoever changed it stays where that was done.
    const bool isEdited = project_.model() && project_.generation() == shownGeneration_;
    shownGeneration_ = project_.generation();
    if (isEdited) return;
    const QString page = project_.view(QStringLiteral("page")).toString();
    showPage(!project_.model() ? QString::fromLatin1(kStartPage)
             : page.isEmpty()  ? QStringLiteral("model")
                               : page);
    if (!viewState_->restore())
        docks_->setWanted(QStringLiteral("lesson"), project_.lesson().has_value());
}

void MainWindow::refreshStages() {
    const StageContext context{project_, run_, controller_};
    for (const PanelInfo& panel : panels_) rail_->setStatus(panel.id, panel.status(context));
    refreshTitle();
}

void MainWindow::refreshTitle() {
    QString title = tr("Temper Studio");
    if (project_.model()) {
        const QString mark = project_.undoStack()->isClean() ? QString() : QStringLiteral("*");
        title = tr("%1%2 – %3").arg(project_.name(), mark, title);
    }
    if (run_.isActive() && run_.totalSteps() > 0)
        title = QStringLiteral("%1 % ").arg(100 * run_.step() / run_.totalSteps()) + title;
    if (title != windowTitle()) setWindowTitle(title);
}

void MainWindow::offer(Banner::Kind kind, const Problem& message, const QString& button,
                       std::function<void()> action) {
    bannerAction_ = std::move(action);
    banner_->show(kind, message, button);
}

void MainWindow::offerToContinue(const UnfinishedRun& found) {
    if (run_.isActive()) return;
    offer(Banner::Kind::Attention,
          {tr("%1 was interrupted").arg(text(found.run.name)),
           tr("It came to step %1 of %2; its last checkpoint is of step %3.")
               .arg(found.run.step)
               .arg(found.run.totalSteps)
               .arg(found.point.step),
           {}},
          tr("Continue at step %1").arg(found.point.step),
          [this, id = found.run.id] { history_.resume(id); });
}

void MainWindow::offerReload(const QString& path) {
    offer(Banner::Kind::Info,
          {tr("%1 was changed by another program").arg(QFileInfo(path).fileName()),
           tr("The window shows it as it was when it was opened."),
           {}},
          tr("Read it again"), [this] {
              whenIdle(tr("Stop training and read the files again?"),
                       [this] { project_.reload(); });
          });
}

/// The program may have died in the middle of a run, or been closed with the project open.
void MainWindow::offerLastProject() {
    const QString folder = settings_.value(kLastProjectKey).toString();
    if (folder.isEmpty() || !isProjectFolder(folder.toStdString())) return;
    project_.tasks()->run(
        tr("Reading runs"), tr("The history of runs could not be read"),
        [path = folder.toStdString()](std::stop_token) { return newestInterrupted(path); },
        [this, folder](const std::optional<StoredRun>& run) {
            if (!run || project_.model()) return;
            offer(Banner::Kind::Attention,
                  {tr("%1 was interrupted").arg(text(run->name)),
                   tr("The program ended while it was training, at step %1 of %2.")
                       .arg(run->step)
                       .arg(run->totalSteps),
                   tr("Its checkpoints and curves are kept.")},
                  tr("Open the project"), [this, folder] { openPath(folder); });
        },
        {});
}

void MainWindow::report(const Problem& problem) {
    banner_->show(Banner::Kind::Bad, problem);
    log_.add(Severity::Error, tr("%1: %2").arg(problem.title, problem.message));
}

void MainWindow::whenIdle(const QString& question, std::function<void()> proceed) {
    if (!run_.isActive()) return proceed();
    auto* box = new QMessageBox(QMessageBox::Question, tr("Training is running"), question,
                                QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("runningDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("The run stops after the current step."));
    QPushButton* stop = box->addButton(tr("Stop training"), QMessageBox::AcceptRole);
    box->addButton(tr("Keep training"), QMessageBox::RejectRole);
    connect(stop, &QPushButton::clicked, this, [this, proceed = std::move(proceed)] {
        if (!run_.isActive()) return proceed();
        afterRun(proceed);
        controller_.stop();
    });
    box->open();
}

void MainWindow::afterRun(std::function<void()> proceed) {
    auto* once = new QObject(this);
    // Queued: everybody has heard of the end before the window goes on.
    connect(
        &run_, &RunModel::stateChanged, once,
        [this, once, proceed = std::move(proceed)] {
            if (run_.isActive()) return;
            once->deleteLater();
            proceed();
        },
        Qt::QueuedConnection);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!run_.isActive() || quitting_) {
        presenter_->setOn(false);
        autosave_.flush();
        settings_.setValue(kGeometryKey, saveGeometry());
        docks_->save();
        return event->accept();
    }
    event->ignore();
    whenIdle(tr("Stop training and quit?"), [this] {
        quitting_ = true;
        close();
    });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty()) return;
    event->acceptProposedAction();
    if (!urls.front().isLocalFile())
        return report(
            {tr("Only files on this computer can be opened"), urls.front().toString(), {}});
    const auto hasWeights = [](const QUrl& url) { return mayHaveWeights(url.toLocalFile()); };
    if (urls.size() == 2 && std::all_of(urls.begin(), urls.end(), hasWeights))
        return compareWeights(urls[0].toLocalFile(), urls[1].toLocalFile());
    openPath(urls.front().toLocalFile());
}

}  // namespace temper::ui
