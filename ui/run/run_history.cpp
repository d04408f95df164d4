// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_history.h"

#include <QApplication>
#include <QDir>
#include <algorithm>
#include <thread>
#include <utility>

#include "engine/jobs/job_status.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/project_run.h"
#include "ui/document/known_projects.h"
#include "ui/document/stored_runs.h"
#include "ui/document/studio_project.h"
#include "ui/document/untitled_documents.h"
#include "ui/run/label_writer.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_label_command.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"

namespace temper::ui {
namespace {

namespace fs = std::filesystem;

RunSettings settingsOf(const StudioProject& project, const TrainingSpec& spec) {
    const RunSpec& run = spec.run;
    const unsigned threads = std::thread::hardware_concurrency();
    return {project.name().toStdString(),
            {},
            describeChoices(spec),
            {{"Temper", QApplication::applicationVersion().toStdString()},
             {"threads",
              std::to_string(run.session.threads > 0 ? static_cast<unsigned>(run.session.threads)
                                                     : threads)}}};
}

/// The project may have moved since: its checkpoints are found by their names in the run's folder.
std::vector<RunEvent> withFoundCheckpoints(std::vector<RunEvent> events, const fs::path& folder) {
    const auto find = [&folder](std::string& path) {
        std::error_code error;
        const fs::path here = folder / fs::path(path).filename();
        if (!fs::exists(path, error) && fs::exists(here, error)) path = here.string();
    };
    for (RunEvent& event : events) {
        if (auto* saved = std::get_if<CheckpointEvent>(&event.fact)) find(saved->path);
        if (auto* removed = std::get_if<CheckpointRemovedEvent>(&event.fact)) find(removed->path);
    }
    return events;
}

RunState stateOf(RunStatus status) {
    switch (status) {
        case RunStatus::Finished: return RunState::Finished;
        case RunStatus::Failed: return RunState::Failed;
        default: return RunState::Stopped;
    }
}

}  // namespace

RunHistory::RunHistory(StudioProject& project, UntitledDocuments& documents,
                       KnownProjects& projects, RunModel& run, RunController& controller,
                       QObject* parent)
    : QObject(parent),
      project_(project),
      documents_(documents),
      projects_(projects),
      run_(run),
      controller_(controller),
      runs_(std::make_shared<const std::vector<StoredRun>>()),
      labels_(std::make_shared<LabelWriter>()) {
    connect(&project_, &StudioProject::folderChanged, this, &RunHistory::folderChanged);
    connect(&project_.store(), &ProjectStore::movingChanged, this, &RunHistory::reload);
    connect(&documents_, &UntitledDocuments::changed, this, &RunHistory::collect);
    connect(&projects_, &KnownProjects::changed, this, &RunHistory::collect);
    connect(&project_, &StudioProject::modelChanged, this, [this] { currentId_.reset(); });
    connect(&project_, &StudioProject::preparationChanged, this, &RunHistory::tryResume);
    connect(&run_, &RunModel::stateChanged, this, [this](RunState state) {
        if (state != RunState::Preparing) reload();
    });
    connect(&run_, &RunModel::checkpointsChanged, this, [this] {
        if (run_.isActive()) reload();
    });
}

const StoredRun* RunHistory::find(int64_t id) const {
    for (const StoredRun& run : *runs_)
        if (run.id == id) return &run;
    return nullptr;
}

fs::path RunHistory::homeOf(int64_t id) const {
    const QString other = sources_.folderOf(id);
    return (other.isEmpty() ? project_.store().folder() : other).toStdString();
}

QString RunHistory::documentOf(int64_t id) const {
    const QString folder = sources_.folderOf(id);
    if (const UntitledDocument* document = documents_.find(folder)) return document->title;
    const KnownProject* project = projects_.find(folder);
    return project ? project->name : QString();
}

void RunHistory::setReadsOtherProjects(bool reads) {
    readsOthers_ = reads;
    if (reads) projects_.refresh();
}

bool RunHistory::canUseSettingsOf(int64_t id) const {
    const StoredRun* run = find(id);
    if (run == nullptr || !project_.model()) return false;
    if (sources_.folderOf(id).isEmpty()) return true;
    try {
        return specOf(*run).model == project_.spec().model;
    } catch (const Error&) {
        return false;
    }
}

QString RunHistory::folderOf(const StoredRun& run) const {
    return text(runFolderOf(homeOf(run.id), run).string());
}

RunRequest RunHistory::record(RunRequest request) {
    try {
        const fs::path folder = project_.ensureFolder().toStdString();
        const StoredRun* current = request.startOver ? nullptr : find(this->current());
        const StoredRun row = current != nullptr ? *current : newRunOf(project_.spec(), folder);
        if (current == nullptr) forgetCurrent();
        return written(std::move(request), row, project_.spec(), false);
    } catch (...) {
        emit failed(problemFrom(std::current_exception(), tr("The run can't be recorded")));
    }
    return request;
}

RunRequest RunHistory::recordWaiting(RunRequest request, const StoredRun& run) {
    forgetCurrent();
    return written(std::move(request), run, specOf(run), true);
}

void RunHistory::setCurrent(int64_t id) { currentId_ = std::make_shared<std::atomic<int64_t>>(id); }

void RunHistory::forgetCurrent() {
    currentId_ = std::make_shared<std::atomic<int64_t>>(0);
    run_.clearCheckpoints();
}

RunRequest RunHistory::written(RunRequest request, const StoredRun& row, const TrainingSpec& spec,
                               bool isWaiting) {
    const fs::path folder = project_.store().folder().toStdString();
    request.openJournal = [folder, row, settings = settingsOf(project_, spec), id = currentId_,
                           isWaiting](int64_t step) -> std::shared_ptr<RunJournal> {
        const bool begins = row.id == 0 || isWaiting;
        std::shared_ptr<RunJournal> journal = begins
                                                  ? RunJournal::begin(folder, row, settings)
                                                  : RunJournal::resume(folder, row, settings, step);
        id->store(journal->run().id);
        return journal;
    };
    return request;
}

void RunHistory::enqueue(const std::vector<Planned>& runs) {
    std::vector<StoredRun> rows;
    fs::path folder;
    try {
        folder = project_.ensureFolder().toStdString();
        for (const Planned& planned : runs) {
            StoredRun row = newRunOf(planned.spec, folder);
            row.name = planned.name;
            row.group = planned.group;
            row.status = RunStatus::Waiting;
            rows.push_back(std::move(row));
        }
    } catch (...) {
        return emit failed(problemFrom(std::current_exception(), tr("The runs can't be kept")));
    }
    project_.tasks()->mustFinish(project_.tasks()->run(
        tr("Writing runs"), tr("The runs can't be kept"),
        [folder, rows](std::stop_token) {
            RunStore store(runStorePath(folder));
            for (const StoredRun& row : rows) store.add(row);
            return true;
        },
        [this](bool) { reload(); }, [this](const Problem& problem) { emit failed(problem); }));
}

void RunHistory::giveUp(const StoredRun& run) {
    project_.tasks()->mustFinish(project_.tasks()->run(
        tr("Writing runs"), tr("The history of runs could not be changed"),
        [path = runStorePath(homeOf(run.id)), run](std::stop_token) {
            RunStore store(path);
            StoredRun now = store.run(run.id);
            if (now.status != RunStatus::Waiting) return true;
            now.status = RunStatus::Failed;
            store.updateProgress(now);
            return true;
        },
        [this](bool) { reload(); }, [this](const Problem& problem) { emit failed(problem); }));
}

std::vector<StoredRun> RunHistory::waiting() const {
    const auto isJob = [](const StoredRun& run) {
        return std::ranges::find(run.tags, kJobTag) != run.tags.end();
    };
    std::vector<StoredRun> runs;
    for (const StoredRun& run : own_) {
        if (run.status == RunStatus::Waiting && !run.isTrashed && !isJob(run)) runs.push_back(run);
    }
    std::ranges::sort(runs, {}, &StoredRun::id);
    return runs;
}

bool RunHistory::hasInterrupted() const {
    return std::ranges::any_of(own_, [](const StoredRun& run) {
        return run.status == RunStatus::Interrupted && !run.isTrashed && !run.spec.empty();
    });
}

TrainingSpec RunHistory::specOf(const StoredRun& run) const {
    return specOfRun(run, homeOf(run.id));
}

bool RunHistory::showsOthers() const { return readsOthers_ || !projects_.all().empty(); }

void RunHistory::folderChanged() {
    ++folder_;
    own_.clear();
    resuming_.reset();
    isResuming_ = false;
    isNew_ = !run_.isActive();
    const QString folder = project_.store().folder();
    if (!folder.isEmpty() && !project_.store().isScratch(folder)) projects_.add(folder);
    if (showsOthers()) projects_.refresh();  // the one that was open is another one now
    reload();
    collect();
}

void RunHistory::collect() {
    auto runs = std::make_shared<std::vector<StoredRun>>(own_);
    const auto add = [&](const QString& folder, const std::vector<StoredRun>& others) {
        if (folder == project_.store().folder()) return;
        for (StoredRun run : others) {
            run.id = sources_.idOf(folder, run);
            runs->push_back(std::move(run));
        }
    };
    for (const UntitledDocument& document : documents_.all()) add(document.folder, document.runs);
    for (const KnownProject& project : projects_.all()) add(project.folder, project.runs);
    runs_ = std::move(runs);
    emit changed();
}

void RunHistory::reload() {
    project_.tasks()->cancel(reloadTask_);
    reloadTask_ = 0;
    const QString folder = project_.store().folder();
    if (folder.isEmpty() || writing_ > 0 || project_.store().isMovingRuns()) return;
    reloadTask_ = project_.tasks()->run(
        tr("Reading runs"), tr("The history of runs could not be read"),
        [path = fs::path(folder.toStdString())](std::stop_token) { return readStoredRuns(path); },
        [this](std::vector<StoredRun> runs) {
            reloadTask_ = 0;
            adopt(std::move(runs));
        },
        [this](const Problem& problem) {
            reloadTask_ = 0;
            emit failed(problem);
        });
}

void RunHistory::adopt(std::vector<StoredRun> runs) {
    own_ = std::move(runs);
    collect();
    if (std::exchange(isNew_, false) && project_.model()) showNewest();
}

/// Shows the latest curves of an opened project and offers to continue an interrupted run.
void RunHistory::showNewest() {
    for (const StoredRun& run : own_) {
        const bool hasBegun = run.status != RunStatus::Waiting;
        if (run.isTrashed || !hasBegun || run_.isActive()) continue;
        showEvents(run, std::numeric_limits<int64_t>::max(), [] {});
        if (run.status != RunStatus::Interrupted || run.spec.empty()) return;
        project_.tasks()->run(
            tr("Reading checkpoint"), tr("The last checkpoint could not be read"),
            [run, folder = fs::path(project_.store().folder().toStdString())](std::stop_token) {
                return UnfinishedRun{run, resumePointOf(run, folder)};
            },
            here([this](const UnfinishedRun& found) { emit unfinishedFound(found); }),
            here([this](const Problem& problem) { emit failed(problem); }));
        return;
    }
}

void RunHistory::showEvents(const StoredRun& run, int64_t step, std::function<void()> done) {
    const fs::path folder = runFolderOf(project_.store().folder().toStdString(), run);
    project_.tasks()->run(
        tr("Reading run"), tr("The log of the run could not be read"),
        [folder, step](std::stop_token) {
            return withFoundCheckpoints(readRunEvents(runLogPath(folder), step), folder);
        },
        here([this, status = run.status, id = run.id, done](const std::vector<RunEvent>& events) {
            if (run_.isActive()) return;
            setCurrent(id);
            run_.restore(events, stateOf(status));
            done();
        }),
        here([this](const Problem& problem) { emit failed(problem); }));
}

void RunHistory::label(const std::vector<int64_t>& ids,
                       const std::function<void(StoredRun&)>& change) {
    auto runs = std::make_shared<std::vector<StoredRun>>(*runs_);
    for (StoredRun& run : *runs) {
        if (std::find(ids.begin(), ids.end(), run.id) == ids.end()) continue;
        change(run);
        if (const auto own = std::ranges::find(own_, run.id, &StoredRun::id); own != own_.end())
            *own = run;
        labels_->add(homeOf(run.id), sources_.original(run));
    }
    runs_ = runs;
    emit this->changed();
    // The data being read is older than this.
    project_.tasks()->cancel(reloadTask_);
    reloadTask_ = 0;
    writeLabels();
}

void RunHistory::edit(const QString& what, const std::vector<int64_t>& ids,
                      const std::function<void(StoredRun&)>& change) {
    std::vector<StoredRun> before, after;
    for (const StoredRun& run : *runs_) {
        if (std::ranges::find(ids, run.id) == ids.end()) continue;
        StoredRun changed = run;
        change(changed);
        if (haveSameLabels(run, changed)) continue;
        before.push_back(run);
        after.push_back(std::move(changed));
    }
    if (after.empty()) return;
    const auto apply = [this](const std::vector<StoredRun>& labels) {
        std::vector<int64_t> changed;
        for (const StoredRun& run : labels) changed.push_back(run.id);
        label(changed, [&labels](StoredRun& run) {
            copyLabels(*std::ranges::find(labels, run.id, &StoredRun::id), run);
        });
    };
    project_.undoStack()->push(
        new RunLabelCommand(what, std::move(before), std::move(after), apply));
}

/// Reads the runs again after the last change.
void RunHistory::writeLabels() {
    ++writing_;
    const auto end = [this] {
        if (--writing_ > 0) return;
        documents_.refresh();
        if (showsOthers()) projects_.refresh();
        reload();
    };
    project_.tasks()->mustFinish(project_.tasks()->run(
        tr("Writing notes"), tr("The history of runs could not be changed"),
        [labels = labels_](std::stop_token) {
            labels->write();
            return true;
        },
        [end](bool) { end(); },
        [this, end](const Problem& problem) {
            emit failed(problem);
            end();
        }));
}

void RunHistory::importLog(const QString& path) {
    QString folder;
    try {
        folder = project_.ensureFolder();
    } catch (...) {
        return emit failed(
            problemFrom(std::current_exception(), tr("The log could not be imported")));
    }
    project_.tasks()->mustFinish(project_.tasks()->run(
        tr("Importing run"), tr("The log could not be imported"),
        [folder = fs::path(folder.toStdString()), log = path.toStdString()](std::stop_token) {
            RunStore store(runStorePath(folder));
            return importRunLog(store, log).id;
        },
        [this](int64_t) { reload(); }, [this](const Problem& problem) { emit failed(problem); }));
}

void RunHistory::useSettingsOf(int64_t id) {
    const StoredRun* run = find(id);
    if (run == nullptr) return;
    try {
        const TrainingSpec spec = specOfRun(*run, homeOf(id));
        project_.edit(tr("Use settings of %1").arg(text(run->name)), spec);
    } catch (...) {
        emit failed(problemFrom(std::current_exception(), tr("The settings can't be used")));
    }
}

void RunHistory::resume(int64_t id) {
    const StoredRun* run = find(id);
    if (run == nullptr || run_.isActive()) return;
    if (const QString document = sources_.folderOf(id); !document.isEmpty())
        return emit documentRequested(document);
    isResuming_ = true;
    useSettingsOf(id);
    project_.tasks()->run(
        tr("Reading checkpoint"), tr("The last checkpoint could not be read"),
        [run = *run, folder = fs::path(project_.store().folder().toStdString())](std::stop_token) {
            return UnfinishedRun{run, resumePointOf(run, folder)};
        },
        here([this](const UnfinishedRun& found) {
            resuming_ = found;
            tryResume();
        }),
        here([this](const Problem& problem) { resumeFailed(problem); }));
}

void RunHistory::tryResume() {
    if (!resuming_ || run_.isActive() || !project_.isReadyToTrain()) return;
    const UnfinishedRun unfinished = *std::exchange(resuming_, std::nullopt);
    controller_.prepareSession(makeRunRequest(project_, unfinished.point.checkpoint.empty()),
                               here([this, unfinished] { loadState(unfinished); }),
                               here([this](const Problem& problem) { resumeFailed(problem); }));
}

void RunHistory::resumeFailed(const Problem& problem) {
    isResuming_ = false;
    emit failed(problem);
}

void RunHistory::loadState(const UnfinishedRun& unfinished) {
    const auto show = [this, unfinished] {
        showEvents(unfinished.run, unfinished.point.step, [this] {
            isResuming_ = false;
            emit readyToContinue();
        });
    };
    if (unfinished.point.checkpoint.empty()) return show();
    controller_.withSession(
        tr("The checkpoint could not be loaded"),
        [path = unfinished.point.checkpoint](TrainingSession& session) {
            session.state().assign(loadCheckpoint(path));
            return true;
        },
        here([show](bool) { show(); }),
        here([this](const Problem& problem) { resumeFailed(problem); }));
}

std::optional<StoredRun> newestInterrupted(const fs::path& project) {
    for (StoredRun& run : readStoredRuns(project))
        if (run.status == RunStatus::Interrupted && !run.isTrashed && !run.spec.empty())
            return std::move(run);
    return std::nullopt;
}

QString statusLabel(RunStatus status) {
    switch (status) {
        case RunStatus::Running: return RunHistory::tr("Running");
        case RunStatus::Finished: return RunHistory::tr("Finished");
        case RunStatus::Stopped: return RunHistory::tr("Stopped");
        case RunStatus::Failed: return RunHistory::tr("Failed");
        case RunStatus::Interrupted: return RunHistory::tr("Interrupted");
        case RunStatus::Waiting: return RunHistory::tr("Waiting");
    }
    return {};
}

}  // namespace temper::ui
