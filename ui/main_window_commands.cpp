// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QImage>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

#include "engine/core/file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/evaluation/norm_statistics.h"
#include "engine/training/projects/command_line.h"
#include "ui/commands/command_palette.h"
#include "ui/commands/shortcut_dialog.h"
#include "ui/docks/explain/explain_dock.h"
#include "ui/explain/explain.h"
#include "ui/main_window.h"
#include "ui/run/python_script.h"
#include "ui/run/run_request.h"
#include "ui/theme/calm_style.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/translation/languages.h"
#include "ui/widgets/shrinking_button.h"
#include "ui/window/defect_report.h"
#include "ui/window/presenter_mode.h"
#include "ui/window/recent_menu.h"
#include "ui/window/status_strip.h"
#include "ui/window/window_docks.h"

namespace temper::ui {
namespace {

constexpr int kMessageMs = 5000;

}  // namespace

template <typename F>
QAction* MainWindow::addCommand(const QString& id, MenuId menu, const QString& text,
                                const QString& icon, const QKeySequence& keys, F slot) {
    auto* action = new QAction(icon.isEmpty() ? QIcon() : themedIcon(icon), text, this);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, slot);
    commands_.add(id, menu, action);
    return action;
}

void MainWindow::buildMenuBar() {
    for (const MenuId id : {MenuId::File, MenuId::Edit, MenuId::View, MenuId::Model,
                            MenuId::Training, MenuId::Runs, MenuId::Tools, MenuId::Help}) {
        QMenu* menu = menuBar()->addMenu(menuTitle(id));
        menu->setToolTipsVisible(true);
        menus_[id] = menu;
        // A menu that nothing was put into would only be in the way.
        menu->menuAction()->setVisible(false);
    }
}

void MainWindow::addToMenu(const Command& command) {
    QMenu* menu = menus_.at(command.menu);
    QString& last = lastGroup_[command.menu];
    if (!last.isEmpty() && last != command.group()) menu->addSeparator();
    last = command.group();
    menu->addAction(command.action);
    menu->menuAction()->setVisible(true);
}

void MainWindow::buildCommands() {
    buildFileCommands();
    buildEditCommands();
    buildTrainingCommands();
    buildHelpCommands();
}

void MainWindow::buildFileCommands() {
    addCommand(QStringLiteral("file.open"), MenuId::File, tr("Open…"), QStringLiteral("open"),
               QKeySequence::Open, &MainWindow::askOpen);
    auto* recent = new RecentMenu(recent_, menus_.at(MenuId::File));
    connect(recent, &RecentMenu::chosen, this, &MainWindow::openPath);
    menus_.at(MenuId::File)->addMenu(recent);
    const std::vector<QAction*> needModel = {
        addCommand(QStringLiteral("file.save"), MenuId::File, tr("Save"), QStringLiteral("save"),
                   QKeySequence::Save, &MainWindow::askSave),
        addCommand(QStringLiteral("file.saveAs"), MenuId::File, tr("Save as…"), {},
                   QKeySequence("Ctrl+Shift+S"), &MainWindow::askSaveAs),
        addCommand(QStringLiteral("file.saveChoices"), MenuId::File, tr("Save choices only…"), {},
                   {}, &MainWindow::askSaveChoices),
        addCommand(QStringLiteral("file.saveArchive"), MenuId::File, tr("Save as one file…"), {},
                   {}, [this] { askSaveArchive(true); }),
        addCommand(QStringLiteral("file.handOut"), MenuId::File, tr("Save to hand out…"), {}, {},
                   [this] { askSaveArchive(false); }),
        addCommand(QStringLiteral("file.copyCommand"), MenuId::File, tr("Copy as command"), {},
                   QKeySequence("Ctrl+Shift+C"), &MainWindow::copyAsCommand),
        addCommand(QStringLiteral("file.copyScript"), MenuId::File, tr("Copy as Python script"), {},
                   {}, &MainWindow::copyAsScript),
        addCommand(QStringLiteral("file.close"), MenuId::File, tr("Close"), {},
                   QKeySequence("Ctrl+W"), &MainWindow::closeProject),
        addCommand(QStringLiteral("model.compare"), MenuId::Model, tr("Compare weights with…"), {},
                   {}, &MainWindow::askCompareModel)};
    const auto refresh = [this, needModel] {
        for (QAction* action : needModel) action->setEnabled(project_.model() != nullptr);
        needModel.front()->setText(project_.hasPlace() ? tr("Save") : tr("Save…"));
    };
    connect(&project_, &StudioProject::folderChanged, this, refresh);
    connect(&project_, &StudioProject::saved, this, refresh);
    connect(&project_, &StudioProject::modelChanged, this, refresh);
    refresh();
    addCommand(QStringLiteral("window.picture"), MenuId::File, tr("Save a picture…"), {}, {},
               &MainWindow::askPicture);
    addCommand(QStringLiteral("window.quit"), MenuId::File, tr("Quit"), {}, QKeySequence("Ctrl+Q"),
               &QWidget::close);
}

void MainWindow::askSave() {
    if (project_.hasPlace()) return project_.save();
    askSaveAs();
}

void MainWindow::askSaveAs() {
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save project: name a folder"), project_.name(), {},
                                     nullptr, QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty()) project_.saveAs(path, !run_.isActive());
}

void MainWindow::askSaveChoices() {
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save choices"), QStringLiteral("training.json"), tr("Choices (*.json)"));
    if (!path.isEmpty()) project_.saveSpec(path);
}

void MainWindow::closeProject() {
    whenIdle(tr("Stop training and close the project?"), [this] { project_.closeModel(); });
}

/// The files of a lesson are inside the programs, which open them for a project only.
bool MainWindow::canBeRepeated() {
    if (project_.hasPlace() || !lessonOf(project_.spec().model)) return true;
    report({tr("The lesson has no place yet"),
            tr("Its model and data are inside the program, where no command finds them."),
            tr("Save the project in a folder; the command names that folder then.")});
    return false;
}

void MainWindow::copyAsCommand() {
    if (canBeRepeated())
        copy(text(commandLineOf(project_.spec(), placeOfProject())),
             tr("The command is on the clipboard."));
}

void MainWindow::copyAsScript() {
    if (canBeRepeated())
        copy(pythonScriptOf(project_.spec(), placeOfProject(), project_.name()),
             tr("The script is on the clipboard."));
}

/// Empty where nobody chose one.
std::filesystem::path MainWindow::placeOfProject() const {
    return project_.hasPlace() ? project_.folder().toStdString() : std::string();
}

void MainWindow::copyDefectReport() {
    copy(defectReport(*this, project_, log_), tr("The report is on the clipboard."));
}

void MainWindow::copy(const QString& content, const QString& message) {
    QGuiApplication::clipboard()->setText(content);
    log_.add(Severity::Info, message);
    statusBar()->showMessage(message, kMessageMs);
}

void MainWindow::askPicture() {
    const QImage picture = grab().toImage();  // before a dialog is in the way
    const QString path = QFileDialog::getSaveFileName(this, tr("Save a picture of the window"),
                                                      project_.name() + QStringLiteral(".png"),
                                                      tr("Pictures (*.png)"));
    if (!path.isEmpty()) savePicture(picture, path);
}

void MainWindow::savePicture(const QImage& picture, const QString& path) {
    project_.tasks()->run(
        tr("Writing the picture"), tr("The picture could not be written"),
        [picture, path](std::stop_token) {
            QByteArray png;
            QBuffer buffer(&png);
            buffer.open(QIODevice::WriteOnly);
            picture.save(&buffer, "PNG");
            writeFileAtomically(path.toStdString(), png.toStdString());
            return path;
        },
        [this](const QString& written) {
            log_.add(Severity::Info, tr("Written: %1").arg(written));
        },
        [this](const Problem& problem) { report(problem); });
}

void MainWindow::buildEditCommands() {
    QAction* undo = project_.undoStack()->createUndoAction(this, tr("Undo"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setIcon(themedIcon(QStringLiteral("undo")));
    QAction* redo = project_.undoStack()->createRedoAction(this, tr("Redo"));
    redo->setShortcuts({QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")});
    redo->setIcon(themedIcon(QStringLiteral("redo")));
    commands_.add(QStringLiteral("edit.undo"), MenuId::Edit, undo);
    commands_.add(QStringLiteral("edit.redo"), MenuId::Edit, redo);
}

void MainWindow::buildTrainingCommands() {
    for (const auto& [id, action] : training_.all()) commands_.add(id, MenuId::Training, action);
    QAction* generate = addCommand(QStringLiteral("artifacts.generate"), MenuId::Training,
                                   tr("Write training files…"), QStringLiteral("export"),
                                   QKeySequence("Ctrl+B"), &MainWindow::askArtifactFolder);
    addCommand(QStringLiteral("artifacts.export"), MenuId::Training, tr("Export model"),
               QStringLiteral("export"), QKeySequence("Ctrl+E"),
               [this] { showPage(QStringLiteral("export")); });
    const auto refresh = [this, generate] {
        const auto& preparation = project_.preparation();
        generate->setEnabled(preparation && preparation->artifacts && !project_.isPreparing());
    };
    connect(&project_, &StudioProject::preparationChanged, generate, refresh);
    refresh();
}

void MainWindow::askArtifactFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for training files"));
    if (folder.isEmpty()) return;
    const TrainingSpec& spec = project_.spec();
    if (!spec.restoreNorms.empty() && !project_.isReadyToTrain())
        return report({tr("The training files need data"),
                       tr("Running statistics of the batch normalizations that were put back are "
                          "measured in the training samples."),
                       tr("Choose data first.")});
    project_.tasks()->run(
        tr("Writing training files"), tr("The training files could not be written"),
        [request = makeRunRequest(project_, true), spec,
         path = folder.toStdString()](std::stop_token) {
            const RunRequest& r = request;
            saveArtifacts(
                spec.restoreNorms.empty()
                    ? *r.artifacts
                    : withMeasuredNorms(*r.artifacts, r.ops, *r.data.training, r.data.binding,
                                        r.run.batchSize, r.run.session.seed),
                path, spec.artifacts);
            return true;
        },
        [this, folder](bool) {
            log_.add(Severity::Info, tr("Training files written to %1").arg(folder));
        },
        [this](const Problem& problem) { report(problem); });
}

void MainWindow::buildViewCommands() {
    int number = 1;
    for (const PanelInfo& panel : panels_)
        addCommand(QStringLiteral("page.") + panel.id, MenuId::View, panel.title, panel.icon,
                   QKeySequence(QStringLiteral("Alt+%1").arg(number++)),
                   [this, id = panel.id] { showPage(id); });
    addCommand(QStringLiteral("page.start"), MenuId::View, tr("Start page"), QStringLiteral("home"),
               QKeySequence("Alt+0"), [this] { showPage(QStringLiteral("start")); });
    for (QAction* action : docks_->actions())
        commands_.add(QStringLiteral("dock.") + action->data().toString(), MenuId::View, action);
    buildLayoutCommands();
    buildThemeCommands();
    buildMotionCommand();
    buildLanguageCommands();
}

void MainWindow::buildLayoutCommands() {
    const std::tuple<const char*, QString, LayoutPreset> presets[] = {
        {"layout.inspect", tr("Layout: inspect"), LayoutPreset::Inspect},
        {"layout.train", tr("Layout: train"), LayoutPreset::Train},
        {"layout.teach", tr("Layout: teach"), LayoutPreset::Teach},
    };
    int number = 1;
    for (const auto& [id, title, preset] : presets)
        addCommand(QLatin1String(id), MenuId::View, title, {},
                   QKeySequence(QStringLiteral("Ctrl+Alt+%1").arg(number++)),
                   [this, chosen = preset] { docks_->apply(chosen); });
    buildPresenterCommand();
}

void MainWindow::buildPresenterCommand() {
    auto* action = new QAction(themedIcon(QStringLiteral("present")), tr("Presenter mode"), this);
    action->setShortcuts({QKeySequence("F11"), QKeySequence("Ctrl+Shift+F")});
    action->setCheckable(true);
    connect(action, &QAction::toggled, presenter_, &PresenterMode::setOn);
    connect(presenter_, &PresenterMode::toggled, action, &QAction::setChecked);
    connect(presenter_, &PresenterMode::typeScaleChanged, this, [this] {
        // The style stays: only its sheet has sizes of type.
        qApp->setStyleSheet(themeStyleSheet(colorsOf(palette()), presenter_->typeScale()));
    });
    commands_.add(QStringLiteral("layout.presenter"), MenuId::View, action);
}

void MainWindow::buildThemeCommands() {
    auto* group = new QActionGroup(this);
    const std::tuple<const char*, QString, ThemeMode> themes[] = {
        {"theme.system", tr("Colours as the desktop"), ThemeMode::System},
        {"theme.light", tr("Light colours"), ThemeMode::Light},
        {"theme.dark", tr("Dark colours"), ThemeMode::Dark},
    };
    const ThemeMode current = themeMode();
    for (const auto& [id, title, mode] : themes) {
        QAction* action = addCommand(QLatin1String(id), MenuId::View, title, {}, {},
                                     [this, chosen = mode] { setTheme(chosen); });
        action->setCheckable(true);
        action->setChecked(mode == current);
        group->addAction(action);
    }
}

/// Until somebody chooses it is as the desktop has it.
void MainWindow::buildMotionCommand() {
    QAction* calm =
        addCommand(QStringLiteral("theme.calm"), MenuId::View, tr("Reduced motion"), {}, {}, [] {});
    calm->setCheckable(true);
    const QString key = QStringLiteral("reducedMotion");
    calm->setChecked(settings_.value(key, desktopIsCalm()).toBool());
    if (calm->isChecked()) setCalm(true);
    connect(calm, &QAction::toggled, this, [this, key](bool isCalm) {
        settings_.setValue(key, isCalm);
        setCalm(isCalm);
    });
}

void MainWindow::buildLanguageCommands() {
    auto* group = new QActionGroup(this);
    const auto add = [this, group](const QString& code, const QString& id, const QString& title) {
        QAction* action = addCommand(QStringLiteral("language.") + id, MenuId::View, title, {}, {},
                                     [this, code] { setLanguage(code); });
        action->setCheckable(true);
        action->setChecked(code == chosenLanguage(settings_));
        group->addAction(action);
    };
    add({}, QStringLiteral("system"), tr("Language of the desktop"));
    for (const Language& language : languages())
        add(language.code, language.code, tr("Language: %1").arg(language.name));
}

void MainWindow::setLanguage(const QString& code) {
    chooseLanguage(settings_, code);
    banner_->show(
        Banner::Kind::Info,
        {tr("The language changes with the next start"),
         tr("Everything that is open stays as it is until then."),
         {}},
        {BannerAction{QStringLiteral("restart"), tr("Restart now"), [this] { restart(); }}});
}

void MainWindow::restart() {
    whenIdle(tr("Stop training and restart?"), [this] {
        wantsRestart_ = true;
        quitting_ = true;
        close();
    });
}

QString MainWindow::openedPath() const {
    if (project_.hasPlace()) return project_.folder();
    return text(project_.spec().model);
}

void MainWindow::reopen(const QString& openedPath) {
    if (const auto lesson = lessonOf(openedPath.toStdString())) return openLesson(text(*lesson));
    if (!openedPath.isEmpty()) openPath(openedPath);
}

void MainWindow::buildHelpCommands() {
    addCommand(QStringLiteral("tools.palette"), MenuId::Tools, tr("Find a command…"),
               QStringLiteral("search"), QKeySequence("Ctrl+Shift+P"), &MainWindow::showPalette);
    addCommand(QStringLiteral("checkpoints.compare"), MenuId::Runs, tr("Compare weights…"),
               QStringLiteral("checkpoint"), QKeySequence("Ctrl+Shift+D"), &MainWindow::askCompare);
    auto* explains = new QAction(themedIcon(QStringLiteral("help")), tr("Explain this"), this);
    explains->setShortcuts({QKeySequence("F1"), QKeySequence("Ctrl+Shift+W")});
    connect(explains, &QAction::triggered, this, &MainWindow::explainThis);
    commands_.add(QStringLiteral("help.explain"), MenuId::Help, explains);
    addCommand(QStringLiteral("help.shortcuts"), MenuId::Help, tr("Keyboard shortcuts"),
               QStringLiteral("settings"), QKeySequence("Ctrl+/"), &MainWindow::showShortcuts);
    addCommand(QStringLiteral("help.report"), MenuId::Help, tr("Copy a report for developers"), {},
               {}, &MainWindow::copyDefectReport);
    addCommand(QStringLiteral("help.about"), MenuId::Help, tr("About Temper"),
               QStringLiteral("info"), {}, &MainWindow::showAbout);
}

void MainWindow::explainThis() {
    const QWidget* focus = QApplication::focusWidget();
    const auto* dock = findChild<ExplainDock*>();
    const bool isReading = focus != nullptr && dock->isAncestorOf(focus);
    const QString term = isReading ? dock->term() : explainedTerm(focus);
    explainTerm(term.isEmpty() ? explainedTerm(pages_.at(current_)) : term);
}

void MainWindow::explainTerm(const QString& id) {
    showDock(QStringLiteral("explain"));
    findChild<ExplainDock*>()->showTerm(id);
}

void MainWindow::explainPage() {
    if (auto* dock = findChild<ExplainDock*>()) dock->followTo(pages_.at(current_));
}

void MainWindow::showShortcuts() {
    auto* dialog = new ShortcutDialog(commands_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

void MainWindow::showPalette() {
    auto* palette = new CommandPalette(commands_, this);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, height() / 8)));
    palette->show();
}

void MainWindow::buildToolBar() {
    QToolBar* bar = addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const int size = em(this, 1.1);
    bar->setIconSize({size, size});
    const char* const groups[][4] = {
        {"file.open", "file.save", nullptr, nullptr},
        {"dock.problems", "artifacts.generate", nullptr, nullptr},
        {"training.start", "training.pause", "training.step", "training.stop"}};
    for (const auto& group : groups) {
        if (!bar->actions().isEmpty()) bar->addSeparator();
        for (const char* id : group)
            if (id != nullptr) bar->addAction(commands_.action(QLatin1String(id)));
    }
    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    bar->addAction(commands_.action(QStringLiteral("tools.palette")));
    for (auto* button : bar->findChildren<QToolButton*>()) {
        button->setFocusPolicy(Qt::TabFocus);
        if (button->defaultAction() != nullptr)
            button->setAccessibleName(button->defaultAction()->text());
    }
    commands_.add(QStringLiteral("layout.toolbar"), MenuId::View, bar->toggleViewAction());
}

void MainWindow::buildStatusBar() {
    for (QAction* action : docks_->actions()) {
        auto* button = new ShrinkingButton(this);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setObjectName(QStringLiteral("toggle-") + action->data().toString());
        statusBar()->addWidget(button);
    }
    new StatusStrip(project_, run_, training_, statusBar());
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::connectLog() {
    connect(&project_, &StudioProject::fileOpened, this,
            [this](const QString& path) { log_.add(Severity::Info, tr("Opened %1").arg(path)); });
    connect(&run_, &RunModel::happened, this, [this](const Problem& fact, bool isBad) {
        log_.add(isBad ? Severity::Warning : Severity::Info,
                 fact.hint.isEmpty() ? fact.message : tr("%1 – %2").arg(fact.message, fact.hint));
    });
}

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

}  // namespace temper::ui
