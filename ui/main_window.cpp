// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/panels/start/start_page.h"
#include "ui/project/trainable_choice.h"
#include "ui/theme/icons.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/guarded.h"
#include "ui/widgets/stage_rail.h"

/// Links the icons, which lie in a static library. Has to be outside of namespaces.
static void initIcons() { Q_INIT_RESOURCE(icons); }

namespace temper::ui {
namespace {

constexpr auto kStartPage = "start";
constexpr auto kThemeKey = "theme";
constexpr auto kGeometryKey = "geometry";

/// The file identifier of ONNX Runtime's checkpoints, behind the root offset.
bool isCheckpoint(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(8).mid(4) == "ODTC";
}

bool isData(const QString& path) {
    static const QStringList suffixes{"csv", "tsv", "npz",        "npy",
                                      "idx", "gz",  "idx1-ubyte", "idx3-ubyte"};
    const QFileInfo info(path);
    return suffixes.contains(info.suffix().toLower()) || info.fileName().contains("ubyte");
}

}  // namespace

MainWindow::MainWindow(QSettings& settings, const QPalette& system, QWidget* parent)
    : QMainWindow(parent),
      settings_(settings),
      system_(system),
      controller_(&run_),
      training_(project_, run_, controller_, navigator_),
      recent_(settings),
      panels_(panels()) {
    initIcons();
    setAcceptDrops(true);
    setCentralWidget(buildCenter());
    buildMenus();
    buildStatusBar();
    resize(QSize(em(this, 82), em(this, 50)).boundedTo(screen()->availableSize()));
    restoreGeometry(settings_.value(kGeometryKey).toByteArray());
    connect(&navigator_, &Navigator::pageRequested, this, &MainWindow::showPage);
    connect(&project_, &StudioProject::problemFound, this, &MainWindow::report);
    connect(&project_, &StudioProject::modelChanged, this, &MainWindow::modelOpened);
    connect(&project_, &StudioProject::fileOpened, &recent_, &RecentFiles::add);
    connect(project_.tasks(), &TaskRunner::busyChanged, this, &MainWindow::refreshStatus);
    connect(project_.undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::refreshTitle);
    for (const auto signal : {&StudioProject::specChanged, &StudioProject::dataChanged,
                              &StudioProject::preparationChanged})
        connect(&project_, signal, this, &MainWindow::refreshStages);
    connect(&controller_, &RunController::sessionChanged, this, &MainWindow::refreshStages);
    connect(&run_, &RunModel::stateChanged, this, &MainWindow::refreshStages);
    connect(&run_, &RunModel::updated, this, &MainWindow::refreshStages);
    showPage(kStartPage);
    refreshStages();
}

MainWindow::~MainWindow() {
    // The pages refer to the members below: they go first, without a last edit. Members that say a
    // last word in their destructor, as the undo stack does, find nobody who listens.
    const std::initializer_list<QObject*> members = {
        &project_,    project_.undoStack(), project_.tasks(), &run_,
        &controller_, &navigator_,          &training_,       &recent_};
    for (QObject* member : members) disconnect(member, nullptr, this, nullptr);
    hide();
    delete takeCentralWidget();
}

QWidget* MainWindow::buildCenter() {
    auto* center = new QWidget(this);
    auto* row = new QHBoxLayout(center);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    rail_ = new StageRail(center);
    rail_->addStage(kStartPage, QStringLiteral("home"), tr("Start"));
    rail_->addGap();
    for (const PanelInfo& panel : panels_) rail_->addStage(panel.id, panel.icon, panel.title);
    rail_->finish();
    row->addWidget(rail_);
    auto* column = new QVBoxLayout;
    column->setContentsMargins(0, em(this, 0.4), em(this, 0.4), 0);
    column->setSpacing(0);
    banner_ = new Banner(center);
    banner_->setAccessibleName(tr("Message"));
    column->addWidget(banner_);
    stack_ = new QStackedWidget(center);
    column->addWidget(stack_, 1);
    row->addLayout(column, 1);
    auto* start = new StartPage(recent_, stack_);
    connect(start, &StartPage::lessonRequested, this, [this](const QString& name) {
        whenIdle(tr("Stop training and open the lesson?"),
                 [this, name] { project_.openLesson(name); });
    });
    connect(start, &StartPage::fileRequested, this, &MainWindow::openPath);
    connect(start, &StartPage::openRequested, this, &MainWindow::askOpen);
    pages_[kStartPage] = start;
    stack_->addWidget(start);
    const PanelContext context{project_, run_, controller_, navigator_, training_};
    for (const PanelInfo& panel : panels_) {
        QWidget* widget = panel.create(context, stack_);
        pages_[panel.id] = widget;
        stack_->addWidget(widget);
    }
    connect(rail_, &StageRail::stageRequested, this, &MainWindow::showPage);
    return center;
}

void MainWindow::buildMenus() {
    buildFileMenu();
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QAction* undo = project_.undoStack()->createUndoAction(this, tr("Undo"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setIcon(themedIcon(QStringLiteral("undo")));
    QAction* redo = project_.undoStack()->createRedoAction(this, tr("Redo"));
    redo->setShortcuts({QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")});
    redo->setIcon(themedIcon(QStringLiteral("redo")));
    edit->addActions({undo, redo});
    buildViewMenu();
    QMenu* training = menuBar()->addMenu(tr("&Training"));
    training->addActions({training_.start(), training_.pause(), training_.step(), training_.stop(),
                          training_.startOver()});
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(themedIcon(QStringLiteral("info")), tr("About Temper"), this,
                    &MainWindow::showAbout);
}

void MainWindow::buildFileMenu() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    QAction* open = file->addAction(themedIcon(QStringLiteral("open")), tr("Open…"), this,
                                    &MainWindow::askOpen);
    open->setShortcut(QKeySequence::Open);
    QMenu* recent = file->addMenu(tr("Open recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] {
        recent->clear();
        for (const QString& path : recent_.paths())
            recent->addAction(path, this, [this, path] { openPath(path); });
        recent->addSeparator();
        recent->addAction(tr("Clear list"), &recent_, &RecentFiles::clear)
            ->setEnabled(!recent_.paths().isEmpty());
    });
    QAction* save = file->addAction(themedIcon(QStringLiteral("save")), tr("Save choices…"), this,
                                    &MainWindow::askSave);
    save->setShortcut(QKeySequence::Save);
    save->setEnabled(false);
    connect(&project_, &StudioProject::modelChanged, save,
            [this, save] { save->setEnabled(project_.model() != nullptr); });
    file->addSeparator();
    QAction* quit = file->addAction(tr("Quit"), this, &QWidget::close);
    quit->setShortcut(QKeySequence("Ctrl+Q"));
}

void MainWindow::buildViewMenu() {
    QMenu* view = menuBar()->addMenu(tr("&View"));
    int number = 1;
    for (const PanelInfo& panel : panels_) {
        QAction* action = view->addAction(themedIcon(panel.icon), panel.title, this,
                                          [this, id = panel.id] { showPage(id); });
        action->setShortcut(QKeySequence(QStringLiteral("Alt+%1").arg(number++)));
    }
    view->addSeparator();
    QMenu* theme = view->addMenu(tr("Theme"));
    auto* group = new QActionGroup(theme);
    const std::pair<ThemeMode, QString> themes[] = {
        {ThemeMode::System, tr("As the desktop")},
        {ThemeMode::Light, tr("Light")},
        {ThemeMode::Dark, tr("Dark")},
    };
    const ThemeMode current = themeFromKey(settings_.value(kThemeKey).toString());
    for (const auto& [mode, label] : themes) {
        QAction* action = theme->addAction(label, this, [this, mode = mode] { setTheme(mode); });
        action->setCheckable(true);
        action->setChecked(mode == current);
        group->addAction(action);
    }
}

void MainWindow::buildStatusBar() {
    modelLabel_ = new QLabel(this);
    taskLabel_ = new QLabel(this);
    busy_ = new QProgressBar(this);
    busy_->setRange(0, 0);
    busy_->setFixedWidth(em(this, 6));
    busy_->setTextVisible(false);
    modelLabel_->setContentsMargins(em(this, 0.6), 0, 0, em(this, 0.2));
    taskLabel_->setContentsMargins(0, 0, em(this, 0.4), em(this, 0.2));
    statusBar()->addWidget(modelLabel_, 1);
    statusBar()->addPermanentWidget(taskLabel_);
    statusBar()->addPermanentWidget(busy_);
    statusBar()->setSizeGripEnabled(false);
    refreshStatus();
}

void MainWindow::setTheme(ThemeMode mode) {
    settings_.setValue(kThemeKey, themeKey(mode));
    applyTheme(*qApp, mode, system_);
}

void MainWindow::showPage(const QString& id) {
    const auto found = pages_.find(id);
    if (found == pages_.end()) return;
    current_ = id;
    stack_->setCurrentWidget(found->second);
    rail_->setCurrent(id);
}

QString MainWindow::currentPage() const { return current_; }

QWidget* MainWindow::page(const QString& id) const { return pages_.at(id); }

void MainWindow::askOpen() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open"), {}, tr("Models and choices (*.onnx *.ort *.json);;All files (*)"));
    if (!path.isEmpty()) openPath(path);
}

void MainWindow::askSave() {
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save choices"), QStringLiteral("training.json"), tr("Choices (*.json)"));
    if (!path.isEmpty()) project_.saveSpec(path);
}

void MainWindow::openPath(const QString& path) {
    banner_->hide();
    if (isCheckpoint(path)) return openCheckpoint(path);
    if (isData(path)) return openData(path);
    whenIdle(tr("Stop training and open %1?").arg(QFileInfo(path).fileName()),
             [this, path] { project_.openFile(path); });
}

void MainWindow::openData(const QString& path) {
    if (!project_.model())
        return report({tr("%1 is data, not a model").arg(QFileInfo(path).fileName()),
                       tr("Data belongs to a model."),
                       tr("Open a model first, then drop the data again.")});
    guarded(this, tr("This data can't be read"), [&] {
        TrainingSpec spec = project_.spec();
        spec.run.data = proposeDataSpec(path.toStdString());
        spec.run.evalData.clear();
        spec.run.binding.clear();
        project_.edit(tr("Choose training data"), spec);
        showPage(QStringLiteral("data"));
    });
}

void MainWindow::openCheckpoint(const QString& path) {
    auto* dialog = new CheckpointDialog(path, *project_.tasks(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::modelOpened() {
    banner_->hide();
    controller_.clear();
    refreshStages();
    refreshTitle();
    refreshStatus();
    if (project_.model()) showPage(QStringLiteral("model"));
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
        title = project_.model()->title + mark + QStringLiteral(" – ") + title;
    }
    if (run_.isActive() && run_.totalSteps() > 0)
        title = QStringLiteral("%1 % ").arg(100 * run_.step() / run_.totalSteps()) + title;
    if (title != windowTitle()) setWindowTitle(title);
}

void MainWindow::refreshStatus() {
    modelLabel_->setText(project_.model() ? text(project_.model()->path) : tr("No model is open"));
    const QStringList titles = project_.tasks()->titles();
    taskLabel_->setText(titles.isEmpty() ? QString() : titles.front() + QStringLiteral("…"));
    busy_->setVisible(!titles.isEmpty());
}

void MainWindow::report(const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); }

void MainWindow::showAbout() {
    QMessageBox::about(
        this, tr("About Temper"),
        tr("<h3>Temper Studio %1</h3><p>Trains ONNX models on its own engine.</p>"
           "<p>The window is free software under the GNU General Public License, version 3 or"
           " later; the engine is under the Apache License 2.0.</p>"
           "<p>It uses Qt %2, QCustomPlot, oneDNN, ONNX, Protocol Buffers, FlatBuffers and"
           " SQLite.</p>")
            .arg(QApplication::applicationVersion(), QLatin1String(qVersion())));
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
        settings_.setValue(kGeometryKey, saveGeometry());
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
    openPath(urls.front().toLocalFile());
}

}  // namespace temper::ui
