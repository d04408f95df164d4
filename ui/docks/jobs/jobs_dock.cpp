// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/jobs/jobs_dock.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/training/projects/project_file.h"
#include "ui/checks/start_obstacle.h"
#include "ui/commands/command_registry.h"
#include "ui/commands/navigator.h"
#include "ui/docks/jobs/connect_dialog.h"
#include "ui/docks/jobs/job_attacher.h"
#include "ui/docks/jobs/job_model.h"
#include "ui/docks/jobs/server_program.h"
#include "ui/document/studio_project.h"
#include "ui/run/attached_run.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/server_call.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/tr.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/filling_column.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

constexpr int kRefreshMs = 1000;

bool canStop(JobState state) {
    return state == JobState::Waiting || state == JobState::Running || state == JobState::Paused;
}

}  // namespace

DockInfo jobsDock() {
    return {.id = "jobs",
            .title = tr("Jobs"),
            .icon = "jobs",
            .area = Qt::BottomDockWidgetArea,
            .shortcut = QKeySequence("Ctrl+Shift+B"),
            .create = createDock<JobsDock>,
            .term = "run"};
}

JobsDock::JobsDock(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      model_(new JobModel(this)),
      attacher_(new JobAttacher(context, this)),
      table_(makeTable(model_, this)),
      empty_(new Placeholder(QStringLiteral("jobs"), {}, tr("Start the server"), this)),
      banner_(new Banner(this)),
      calls_(nullptr, 1) {
    setObjectName(QStringLiteral("jobsDock"));
    add_ = addCommand(QStringLiteral("jobs.add"), tr("Train as a job"), QStringLiteral("plus"),
                      &JobsDock::addProject);
    attach_ = addCommand(QStringLiteral("jobs.attach"), tr("Show in the window"),
                         QStringLiteral("chart"), &JobsDock::attach);
    detach_ = addCommand(QStringLiteral("jobs.detach"), tr("Leave the job"),
                         QStringLiteral("close"), &JobsDock::detach);
    pause_ = addCommand(QStringLiteral("jobs.pause"), tr("Pause the job"), QStringLiteral("pause"),
                        &JobsDock::pauseOrResume);
    stop_ = addCommand(QStringLiteral("jobs.stop"), tr("Stop the job"), QStringLiteral("stop"),
                       &JobsDock::stop);
    first_ = addCommand(QStringLiteral("jobs.first"), tr("Run the job next"),
                        QStringLiteral("step"), &JobsDock::moveFirst);
    remove_ = addCommand(QStringLiteral("jobs.remove"), tr("Remove the job"),
                         QStringLiteral("close"), &JobsDock::remove);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(banner_);
    layout->addWidget(buildTools());
    table_->setObjectName(QStringLiteral("jobTable"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    fillWithColumn(table_, JobModel::Project);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    table_->addActions({attach_, detach_, pause_, stop_, first_, remove_});
    layout->addWidget(table_, 1);
    layout->addWidget(empty_, 1);
    timer_.setInterval(kRefreshMs);
    connect(&timer_, &QTimer::timeout, this, &JobsDock::refresh);
    connect(empty_, &Placeholder::triggered, this, &JobsDock::startServer);
    connect(attacher_, &JobAttacher::failed, this, &JobsDock::showProblem);
    connect(table_, &QTableView::activated, attach_, &QAction::trigger);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &JobsDock::updateCommands);
    connect(&context_.controller, &RunController::sessionChanged, this, &JobsDock::updateCommands);
    connect(&context_.run, &RunModel::stateChanged, this, &JobsDock::updateCommands);
    for (const auto signal : {&StudioProject::modelChanged, &StudioProject::dataChanged,
                              &StudioProject::preparationChanged})
        connect(&context_.project, signal, this, &JobsDock::updateCommands);
    connect(&context_.project.store(), &ProjectStore::movingChanged, this,
            &JobsDock::updateCommands);
    showNothing(tr("No job server runs on this machine."), true);
}

QWidget* JobsDock::buildTools() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(em(bar, 0.5), 0, 0, 0);
    server_ = makeLabel({}, "muted", bar);
    server_->setObjectName(QStringLiteral("jobServer"));
    row->addWidget(server_);
    row->addStretch(1);
    for (QAction* action : {add_, attach_, detach_, pause_, stop_}) {
        auto* button = new ActionButton(action, action == attach_, bar);
        row->addWidget(button);
        if (action == detach_) {
            const auto follow = [button, action] { button->setVisible(action->isEnabled()); };
            connect(action, &QAction::changed, button, follow);
            follow();
        }
    }
    auto* other = new QPushButton(tr("Other machine…"), bar);
    other->setObjectName(QStringLiteral("otherServer"));
    connect(other, &QPushButton::clicked, this, &JobsDock::askServer);
    row->addWidget(other);
    return bar;
}

QAction* JobsDock::addCommand(const QString& id, const QString& title, const QString& icon,
                              void (JobsDock::*slot)()) {
    auto* action = new QAction(themedIcon(icon), title, this);
    action->setData(icon);
    connect(action, &QAction::triggered, this, slot);
    context_.commands.add(id, MenuId::Training, action);
    return action;
}

// ---- the server --------------------------------------------------------------------------------

void JobsDock::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    timer_.start();
    refresh();
}

void JobsDock::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    timer_.stop();
}

void JobsDock::connectTo(const ServerAddress& address) {
    calls_.cancel(std::exchange(asking_, 0));
    address_ = address;
    isConnected_ = false;
    const QString socket = QString::fromStdString(address.socket.string());
    server_->setText(address.isHere     ? tr("This machine")
                     : socket.isEmpty() ? tr("Port %1").arg(address.port)
                                        : socket);
    showNothing(tr("Connecting…"), false);
    refresh();
}

/// The one of this machine, if there is one.
void JobsDock::connectHere() {
    try {
        if (const auto address = ownServer()) connectTo(*address);
    } catch (...) {
        showProblem(problemFrom(std::current_exception(), tr("The jobs can't be listed")));
    }
}

void JobsDock::startServer() {
    context_.project.tasks()->run(
        tr("Starting the job server"), tr("The job server could not be started"),
        [](const std::stop_token&) { return startOwnServer(); },
        [this](const ServerAddress& address) { connectTo(address); },
        [this](const Problem& problem) { showProblem(problem); });
}

void JobsDock::askServer() {
    auto* dialog = new ConnectDialog(window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { connectTo(dialog->address()); });
    dialog->open();
}

void JobsDock::refresh() {
    if (!address_) return connectHere();
    if (asking_ != 0) return;
    asking_ = calls_.run(
        {}, tr("The job server does not answer"),
        [address = *address_](const std::stop_token& stop) {
            return withServer(address, stop, [](JobClient& client) { return client.jobs(); });
        },
        [this](std::vector<JobStatus> jobs) {
            asking_ = 0;
            isConnected_ = true;
            showJobs(std::move(jobs));
        },
        [this](const Problem& problem) {
            asking_ = 0;
            isConnected_ = false;
            const bool isHere = address_->isHere;
            showNothing(isHere ? tr("No job server runs on this machine.") : problem.message,
                        isHere);
        });
}

/// The selected job stays selected, wherever it is now.
void JobsDock::showJobs(std::vector<JobStatus> jobs) {
    if (jobs.empty()) {
        return showNothing(
            tr("No jobs. A job trains a project without the window, even after you close it."),
            false);
    }
    const JobStatus* before = selected();
    const int64_t id = before != nullptr ? before->job.id : 0;
    model_->setJobs(std::move(jobs));
    table_->show();
    empty_->hide();
    if (const int row = model_->rowOf(id); row != table_->currentIndex().row() || row < 0)
        table_->selectRow(std::max(row, 0));
    updateCommands();
}

void JobsDock::showNothing(const QString& why, bool canStart) {
    model_->setJobs({});
    table_->hide();
    empty_->show();
    explanation_ = why;
    empty_->setSentence(why);
    empty_->setButtonVisible(canStart);
    updateCommands();
}

QString JobsDock::explanation() const { return table_->isHidden() ? explanation_ : QString(); }

void JobsDock::showProblem(const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); }

// ---- the jobs ----------------------------------------------------------------------------------

void JobsDock::callServer(const QString& failure, std::function<void(JobClient&)> call) {
    if (!address_) return;
    calls_.mustFinish(calls_.run(
        {}, failure,
        [address = *address_, call = std::move(call)](const std::stop_token& stop) {
            return withServer(address, stop, [&call](JobClient& client) {
                call(client);
                return true;
            });
        },
        [this](bool) {
            banner_->hide();
            refresh();
        },
        [this](const Problem& problem) { showProblem(problem); }));
}

const JobStatus* JobsDock::selected() const { return model_->job(table_->currentIndex().row()); }

void JobsDock::updateCommands() {
    const JobStatus* job = selected();
    const JobState state = job != nullptr ? stateOf(*job) : JobState::Finished;
    const AttachedRun* attached = context_.controller.attached();
    const bool isShown = attached != nullptr && job != nullptr && attached->job() == job->job.id;
    const bool trainsHere = attached == nullptr && context_.run.isActive();
    const bool isPaused = state == JobState::Paused;
    add_->setEnabled(isConnected_ && address_->isHere &&
                     startObstacle(context_.project).text.isEmpty());
    attach_->setEnabled(job != nullptr && !isShown && !trainsHere);
    detach_->setEnabled(attached != nullptr);
    pause_->setEnabled(job != nullptr && (isPaused || state == JobState::Running));
    pause_->setText(isPaused ? tr("Resume the job") : tr("Pause the job"));
    pause_->setData(isPaused ? QStringLiteral("play") : QStringLiteral("pause"));
    pause_->setIcon(themedIcon(pause_->data().toString()));
    stop_->setEnabled(job != nullptr && canStop(state));
    first_->setEnabled(job != nullptr && state == JobState::Waiting);
    remove_->setEnabled(job != nullptr && state != JobState::Running && !isPaused);
}

/// A job reads its project's folder, so that has to be one that stays.
void JobsDock::addProject() {
    const StudioProject& project = context_.project;
    if (!project.store().hasPlace()) {
        const Problem why{
            tr("The project has no folder yet"),
            tr("A job trains a project in a folder, also after the window is closed."),
            tr("Save the project, then train it as a job.")};
        const BannerAction save{
            QStringLiteral("saveForJob"), tr("Save as…"), [this] {
                banner_->hide();
                emit context_.navigator.commandRequested(QStringLiteral("file.saveAs"));
            }};
        return banner_->show(Banner::Kind::Info, why, std::vector<BannerAction>{save});
    }
    if (project.store().isScratch(project.store().folder()))
        return banner_->show(
            Banner::Kind::Info,
            {tr("The runs are not in the project's folder yet"),
             tr("The project was saved while it trained. Its runs move there once training ends."),
             tr("Then train it as a job.")});
    const std::filesystem::path folder = project.store().folder().toStdString();
    const NewJob job{folder, 0, toJson(ProjectFile{project.spec(), {}}, folder)};
    callServer(tr("The job could not be added"), [job](JobClient& client) { client.add(job); });
}

void JobsDock::attach() {
    if (const JobStatus* job = selected(); job != nullptr && address_)
        attacher_->attach(*address_, *job);
}

void JobsDock::detach() { context_.controller.detach(); }

void JobsDock::request(JobRequest::Kind kind) {
    const JobStatus* job = selected();
    if (job == nullptr) return;
    callServer(tr("The job refused the request"),
               [id = job->job.id, kind](JobClient& client) { client.request(id, {.kind = kind}); });
}

void JobsDock::pauseOrResume() {
    const JobStatus* job = selected();
    if (job == nullptr) return;
    request(stateOf(*job) == JobState::Paused ? JobRequest::Kind::Resume : JobRequest::Kind::Pause);
}

void JobsDock::stop() { request(JobRequest::Kind::Stop); }

void JobsDock::moveFirst() {
    if (const JobStatus* job = selected())
        callServer(tr("The job could not be moved"),
                   [id = job->job.id](JobClient& client) { client.moveFirst(id); });
}

void JobsDock::remove() {
    if (const JobStatus* job = selected())
        callServer(tr("The job could not be removed"),
                   [id = job->job.id](JobClient& client) { client.remove(id); });
}

}  // namespace temper::ui
