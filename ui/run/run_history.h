// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/runs/run_store.h"
#include "engine/training/projects/project_run.h"
#include "ui/messages/problem.h"
#include "ui/run/run_sources.h"

namespace temper::ui {

class KnownProjects;
class LabelWriter;
class RunController;
class RunModel;
class StudioProject;
class TrainingActions;
class UntitledDocuments;
struct RunRequest;

/// A run whose program died, and where it can continue.
struct UnfinishedRun {
    StoredRun run;
    ResumePoint point;
};

/// The history of runs in the window: those of the open project, then those of untitled documents
/// and, on request, of all known projects. New runs are recorded; tasks read the records, so that
/// the window never waits for the disk. Thread: the GUI thread.
class RunHistory : public QObject {
    Q_OBJECT
public:
    /// All arguments outlive it.
    RunHistory(StudioProject& project, UntitledDocuments& documents, KnownProjects& projects,
               RunModel& run, RunController& controller, QObject* parent = nullptr);

    /// The newest of the project first, including those in the trash.
    const std::shared_ptr<const std::vector<StoredRun>>& runs() const { return runs_; }
    const StoredRun* find(int64_t id) const;
    /// The active run, or the last one; 0 without one.
    int64_t current() const { return currentId_ ? currentId_->load() : 0; }
    /// The name of the other project or untitled document that a run belongs to; empty: the open
    /// one.
    QString documentOf(int64_t id) const;
    /// Whether the runs of known projects are read, too, and kept up to date. Initially not. What
    /// was read stays: changes of it can be undone.
    void setReadsOtherProjects(bool reads);
    /// Folder of a run's log and checkpoints.
    QString folderOf(const StoredRun& run) const;

    /// The run of the project that the window shows from now on.
    void setCurrent(int64_t id);
    /// Adds the journal of the run: a new run, or the current one if the request continues.
    RunRequest record(RunRequest request);
    /// The same for a run that waited; it is the current one from now on.
    RunRequest recordWaiting(RunRequest request, const StoredRun& run);

    /// Runs that are to begin later.
    struct Planned {
        std::string name;
        std::string group;  ///< folder in the history; may be empty
        TrainingSpec spec;
    };
    /// Puts runs at the end of those that wait.
    void enqueue(const std::vector<Planned>& runs);
    /// A run that waited can't train: it is one that failed.
    void giveUp(const StoredRun& run);
    /// Those of the open project that wait for this window, in their order.
    std::vector<StoredRun> waiting() const;
    /// The choices of a run. Throws: Error(InvalidInput) as specOfRun().
    TrainingSpec specOf(const StoredRun& run) const;

    /// Writes name, group, notes, tags, pin and trash of some runs.
    void label(const std::vector<int64_t>& ids, const std::function<void(StoredRun&)>& change);
    /// The same for name, group, notes, tags and pin, undoably; `what` names the change for the
    /// undo list.
    void edit(const QString& what, const std::vector<int64_t>& ids,
              const std::function<void(StoredRun&)>& change);
    /// Imports a log from elsewhere into the history.
    void importLog(const QString& path);
    /// Those of other projects fit only if the model is the same.
    bool canUseSettingsOf(int64_t id) const;
    /// Makes the choices of a run those of the project, as one edit.
    void useSettingsOf(int64_t id);
    /// Loads the last checkpoint of a run and shows its curves; then training can continue.
    /// Restores its settings if they differ. For a run of another project, requests that this
    /// project is opened.
    void resume(int64_t id);
    /// resume() was called, and the run is not ready to continue yet.
    bool isResuming() const { return isResuming_; }
    /// The project has a run that can be continued because its program died.
    bool hasInterrupted() const;
    void reload();
    /// The runs of the project are being read; changed() follows.
    bool isReading() const { return reloadTask_ != 0; }

signals:
    void changed();
    /// The project has a run whose program died.
    void unfinishedFound(const temper::ui::UnfinishedRun& found);
    /// A run's state is loaded: training continues from it.
    void readyToContinue();
    void documentRequested(const QString& folder);
    void failed(const temper::ui::Problem& problem);

private:
    /// Adds what writes `row` down, with the settings of `spec`.
    RunRequest written(RunRequest request, const StoredRun& row, const TrainingSpec& spec,
                       bool isWaiting);
    void forgetCurrent();
    void folderChanged();
    /// The project that a run belongs to.
    std::filesystem::path homeOf(int64_t id) const;
    void writeLabels();
    /// Combines the runs of the project and of others.
    void collect();
    void adopt(std::vector<StoredRun> runs);
    void showNewest();
    void tryResume();
    void resumeFailed(const Problem& problem);
    void loadState(const UnfinishedRun& unfinished);
    void showEvents(const StoredRun& run, int64_t step, std::function<void()> done);
    /// `action`, unless another folder holds the runs by then: what was begun for one project does
    /// not happen in the next.
    template <typename Action>
    auto here(Action action) {
        return [this, action = std::move(action), folder = folder_](auto&&... values) {
            if (folder == folder_) action(std::forward<decltype(values)>(values)...);
        };
    }

    StudioProject& project_;
    UntitledDocuments& documents_;
    KnownProjects& projects_;
    RunModel& run_;
    RunController& controller_;
    std::shared_ptr<const std::vector<StoredRun>> runs_;
    std::vector<StoredRun> own_;  ///< of the open project
    RunSources sources_;
    std::shared_ptr<std::atomic<int64_t>> currentId_;
    std::optional<UnfinishedRun> resuming_;
    int folder_ = 0;  ///< counts the folders that held the runs
    int reloadTask_ = 0;
    std::shared_ptr<LabelWriter> labels_;
    int writing_ = 0;  ///< tasks that write labels
    bool isResuming_ = false;
    /// Those of other projects, which may be listed even if they are not asked for any more.
    bool showsOthers() const;

    bool readsOthers_ = false;
    bool isNew_ = false;  ///< the folder's runs were not examined yet
};

/// The newest run of a project whose program died. Throws: Error. Thread: any.
std::optional<StoredRun> newestInterrupted(const std::filesystem::path& project);

/// "Finished", "Interrupted", ...
QString statusLabel(RunStatus status);

}  // namespace temper::ui
