// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QScreen>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/commands/activity.h"
#include "ui/document/file_kind.h"
#include "ui/panels/model/detail_view.h"
#include "ui/run/attached_run.h"
#include "ui/widgets/shrinking_button.h"
#include "ui/widgets/written_file.h"
#include "ui/window/actions/appearance_actions.h"
#include "ui/window/actions/artifact_actions.h"
#include "ui/window/actions/close_actions.h"
#include "ui/window/actions/compare_actions.h"
#include "ui/window/actions/copy_actions.h"
#include "ui/window/actions/edit_actions.h"
#include "ui/window/actions/help_actions.h"
#include "ui/window/actions/language_actions.h"
#include "ui/window/actions/open_actions.h"
#include "ui/window/actions/picture_actions.h"
#include "ui/window/actions/quit_actions.h"
#include "ui/window/actions/save_actions.h"
#include "ui/window/actions/view_actions.h"
#include "ui/window/command_menus.h"
#include "ui/window/leave_guard.h"
#include "ui/window/messages.h"
#include "ui/window/offers.h"
#include "ui/window/page_frame.h"
#include "ui/window/page_stack.h"
#include "ui/window/presenter_mode.h"
#include "ui/window/run_guard.h"
#include "ui/window/status_strip.h"
#include "ui/window/tool_bar.h"
#include "ui/window/untitled_banner.h"
#include "ui/window/view_state.h"
#include "ui/window/wheel_guard.h"
#include "ui/window/window_docks.h"
#include "ui/window/window_title.h"

/// Links the icons, which are in a static library. Must be outside any namespace.
static void initIcons() { Q_INIT_RESOURCE(icons); }

namespace temper::ui {
namespace {

constexpr auto kGeometryKey = "geometry";

}  // namespace

/// Everything connected to the workspace. Groups of actions are in the order of the menus.
struct MainWindow::Parts {
    Parts(MainWindow& window, Workspace& work)
        : frame(new PageFrame(&window)),
          banner(new Banner(frame)),
          messages(work, *banner, *window.statusBar()),
          guard(window, work.run, work.controller),
          leaving(window, work, guard),
          context{window, work, messages, guard, leaving},
          menus(work.commands, *window.menuBar()) {}

    PageFrame* frame;
    Banner* banner;
    Messages messages;
    RunGuard guard;
    LeaveGuard leaving;
    WindowContext context;
    CommandMenus menus;
    Offers offers{context};

    OpenActions open{context, menus};
    SaveActions save{context};
    CopyActions copy{context};
    CloseActions close{context};
    CompareActions compare{context};
    PictureActions picture{context};
    QuitActions quit{context};
    EditActions edit{context};
    ArtifactActions artifacts{context};
    HelpActions help{context};

    std::unique_ptr<PageStack> pages;
    std::unique_ptr<WindowTitle> title;
    std::unique_ptr<ViewState> viewState;
    std::unique_ptr<ViewActions> view;
    std::unique_ptr<AppearanceActions> appearance;
    std::unique_ptr<LanguageActions> language;
};

MainWindow::MainWindow(QSettings& settings, const QPalette& system, QWidget* parent,
                       const std::vector<DockInfo>& tools)
    : QMainWindow(parent), work_(settings) {
    initIcons();
    setAcceptDrops(true);
    QCoreApplication::instance()->installEventFilter(new WheelGuard(this));
    parts_ = std::make_unique<Parts>(*this, work_);
    buildPages(tools);
    connectAll();
    buildView(system);
    buildStatusBar();
    parts_->pages->showStart();
    parts_->offers.offerLastProject();
}

void MainWindow::buildPages(const std::vector<DockInfo>& tools) {
    PageFrame* frame = parts_->frame;
    parts_->banner->setAccessibleName(tr("Message"));
    frame->column()->addWidget(parts_->banner);
    auto* untitled = new UntitledBanner(work_.project, work_.documents, frame);
    connect(untitled, &UntitledBanner::openRequested, &parts_->open, &OpenActions::open);
    frame->column()->addWidget(untitled);
    auto* inspector = new DetailView(this);
    parts_->pages =
        std::make_unique<PageStack>(work_, *inspector, *frame->rail(), *frame->column());
    setCentralWidget(frame);
    const QSize around(em(this, 0.5), em(this, 2.5));  // added by the desktop
    resize(QSize(em(this, 88), em(this, 52)).boundedTo(screen()->availableSize() - around));
    restoreGeometry(work_.settings.value(kGeometryKey).toByteArray());
    const QSize wanted = size();
    docks_ = new WindowDocks(*this, work_.settings, work_.panelContext(*inspector), tools);
    layout()->activate();
    resize(wanted);  // it grew while all docks were in it
    presenter_ = new PresenterMode(*this, *frame->rail(), *docks_);
    connect(presenter_, &PresenterMode::presented, &Activity::of(work_.navigator),
            &Activity::presented);
    connect(inspector, &DetailView::selectionShown, docks_,
            [this] { docks_->raise(QStringLiteral("inspector")); });
}

void MainWindow::buildView(const QPalette& system) {
    const WindowContext& context = parts_->context;
    parts_->title = std::make_unique<WindowTitle>(*this, work_.project, work_.run);
    parts_->viewState =
        std::make_unique<ViewState>(work_.project, *parts_->pages, *docks_, *presenter_);
    parts_->view = std::make_unique<ViewActions>(context, *parts_->pages, *docks_, *presenter_);
    parts_->appearance = std::make_unique<AppearanceActions>(context, system, *docks_, *presenter_);
    parts_->language = std::make_unique<LanguageActions>(context);
    connect(parts_->language.get(), &LanguageActions::restartRequested, &parts_->quit,
            &QuitActions::restart);
    buildToolBar(*this, work_.commands, *parts_->pages);
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
    new StatusStrip(work_.project, work_.run, work_.training, statusBar());
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::connectAll() {
    PageStack* pages = parts_->pages.get();
    connect(pages, &PageStack::shown, docks_, &WindowDocks::setPage);
    connect(pages, &PageStack::shown, &parts_->help,
            [this, pages](const QString& id) { parts_->help.setPage(pages->page(id)); });
    connect(pages, &PageStack::openRequested, &parts_->open, &OpenActions::askOpen);
    connect(pages, &PageStack::fileRequested, &parts_->open, &OpenActions::open);
    connect(&parts_->offers, &Offers::openRequested, &parts_->open, &OpenActions::open);
    connect(&work_.history, &RunHistory::documentRequested, &parts_->open, &OpenActions::open);
    connect(&work_.navigator, &Navigator::pageRequested, pages, &PageStack::show);
    connect(&work_.navigator, &Navigator::nodeRequested, pages,
            [pages] { pages->show(QStringLiteral("model")); });
    connect(&work_.navigator, &Navigator::trialRequested, pages,
            [pages] { pages->show(QStringLiteral("evaluate")); });
    connect(&work_.navigator, &Navigator::dockRequested, docks_, &WindowDocks::show);
    Messages& messages = parts_->messages;
    connect(&work_.controller, &RunController::connectionLost, &messages, &Messages::report);
    connect(&work_.controller, &RunController::requestFailed, &messages, &Messages::report);
    connect(&work_.controller, &RunController::connectionFound, &messages,
            [&messages] { messages.withdraw(AttachedRun::lostTitle()); });
    // After the pages have received the model.
    connect(&work_.project, &StudioProject::modelChanged, this,
            [this, shown = work_.project.generation()]() mutable {
                const int before = std::exchange(shown, work_.project.generation());
                parts_->messages.clearReport();
                if (before != shown) parts_->messages.clear();
                const bool endsRun = before == shown && isTraining();
                work_.controller.clear();
                parts_->offers.offerFineTuning();
                if (endsRun) tellOfRunsEnd();
            });
}

/// A run of this window that nobody has stopped yet.
bool MainWindow::isTraining() const {
    return work_.run.isActive() && work_.run.state() != RunState::Stopping &&
           work_.controller.attached() == nullptr;
}

void MainWindow::tellOfRunsEnd() {
    parts_->messages.show(Banner::Kind::Attention,
                          {tr("The run was stopped because its model was changed"),
                           tr("Its last state is saved. To continue it with the model as it was, "
                              "choose “Continue run” in the list of runs."),
                           {}});
}

MainWindow::~MainWindow() {
    presenter_->setOn(false);
    // Pages, docks and dialogs refer to the workspace: they are destroyed before it, without a last
    // edit, after all connections are cut.
    parts_.reset();
    work_.silence(this);
    hide();
    // Also deletes open dialogs: a tensor view in one cancels its pending tasks.
    for (QDialog* dialog : findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly))
        delete dialog;
    delete centralWidget();
    for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        delete dock;
}

Messages& MainWindow::messages() { return parts_->messages; }
PageStack& MainWindow::pages() { return *parts_->pages; }
OpenActions& MainWindow::files() { return parts_->open; }
CompareActions& MainWindow::comparison() { return parts_->compare; }
PictureActions& MainWindow::pictures() { return parts_->picture; }
QuitActions& MainWindow::quitting() { return parts_->quit; }
AppearanceActions& MainWindow::appearance() { return *parts_->appearance; }
LanguageActions& MainWindow::language() { return *parts_->language; }

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    // Applying the theme is not a change by the desktop.
    if (event->type() == QEvent::ThemeChange && parts_ && parts_->appearance)
        parts_->appearance->setSystemPalette(desktopPalette());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!parts_->quit.mayClose()) return event->ignore();
    presenter_->setOn(false);
    work_.autosave.flush();
    work_.settings.setValue(kGeometryKey, saveGeometry());
    docks_->save();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::customEvent(QEvent* event) {
    if (event->type() != WrittenFile::kind()) return QMainWindow::customEvent(event);
    parts_->messages.tellWritten(static_cast<const WrittenFile*>(event)->path());
    event->accept();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty()) return;
    event->acceptProposedAction();
    if (!urls.front().isLocalFile())
        return parts_->messages.report(
            {tr("Only files on this computer can be opened"), urls.front().toString(), {}});
    const auto hasWeights = [](const QUrl& url) { return mayHaveWeights(url.toLocalFile()); };
    if (urls.size() == 2 && std::all_of(urls.begin(), urls.end(), hasWeights))
        return parts_->compare.compare(urls[0].toLocalFile(), urls[1].toLocalFile());
    QStringList paths;
    for (const QUrl& url : urls)
        if (url.isLocalFile()) paths << url.toLocalFile();
    parts_->open.openAll(paths);
}

}  // namespace temper::ui
