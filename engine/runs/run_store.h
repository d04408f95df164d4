// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runs/metric_summary.h"
#include "engine/runs/run_event.h"

namespace temper {

/// The status of a run in the history. Interrupted: its program died; it can be continued. Waiting:
/// it has not started.
enum class RunStatus { Running, Finished, Stopped, Failed, Interrupted, Waiting };

std::string_view statusName(RunStatus status);
/// The inverse. Throws: Error(InvalidInput) naming it.
RunStatus statusFromName(std::string_view name);

/// A run in the history: what was requested, its results, and what a person noted.
struct StoredRun {
    int64_t id = 0;  ///< given by the store
    std::string name;
    std::string group;   ///< folders of runs: "baseline", "ablation/lr"; empty: none
    std::string folder;  ///< with log and checkpoints, relative to the store's if it is inside
    std::string spec;    ///< TrainingSpec as JSON; empty if unknown
    RunStatus status = RunStatus::Running;
    double startedAt = 0;  ///< seconds since 1970; 0: not yet
    double seconds = 0;
    int64_t step = 0;
    int64_t totalSteps = 0;
    int64_t seed = 0;
    int64_t parent = 0;  ///< the run that this one was cloned from; 0: none
    bool isPinned = false;
    bool isTrashed = false;
    std::string notes;
    std::vector<std::string> tags = {};  ///< as parseTags() gives them
    std::vector<MetricSummary> metrics;  ///< sorted by name

    bool operator==(const StoredRun&) const = default;
};

/// The history of runs: one SQLite file in WAL mode, so that the window and the command line can
/// use it at the same time. Metric points stay in the runs' logs.
/// Thread: any, one call at a time.
class RunStore {
public:
    /// Creates the file if it is missing. Throws: Error(Io | InvalidInput) naming the path, e.g. if
    /// it is not such a file, or a newer program made it.
    explicit RunStore(const std::filesystem::path& path);
    ~RunStore();
    RunStore(const RunStore&) = delete;
    RunStore& operator=(const RunStore&) = delete;

    /// Newest first, including those in the trash.
    std::vector<StoredRun> runs() const;
    /// Throws: Error(NotFound) naming the number.
    StoredRun run(int64_t id) const;
    /// Returns: the row with its number and, if it had none, a folder "runs/<number>" and a name.
    StoredRun add(StoredRun run);
    /// Writes what training changes: status, times, steps, metrics. Throws: Error(NotFound).
    void updateProgress(const StoredRun& run);
    /// Writes what a person changes: name, group, notes, tags, pin, trash. Throws: Error(NotFound).
    void updateLabels(const StoredRun& run);
    /// Copies the current history without the runs in the trash; programs may write to it
    /// meanwhile. `specOf` returns the specification that a run has in the copy. `path` must not
    /// exist. Throws: Error(Io) naming it.
    void copyTo(const std::filesystem::path& path,
                const std::function<std::string(const StoredRun&)>& specOf) const;
    /// Replaces the specification of each run, all together. Throws: Error(Io).
    void rewriteSpecs(const std::function<std::string(const StoredRun&)>& specOf);
    /// Removes the run for good; its folder stays.
    void erase(int64_t id);
    /// From now on, changes and those before are on the disk before a call returns. Without it, a
    /// power cut may take back the last ones, which is what makes writing fast.
    void outlastPowerCuts();

private:
    void updateFolder(const StoredRun& run);

    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace temper
