// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "engine/runs/metric_summary.h"
#include "engine/runs/run_log.h"
#include "engine/runs/run_record.h"
#include "engine/runs/run_store.h"

namespace temper {

/// Paths in a project folder.
std::filesystem::path runStorePath(const std::filesystem::path& project);
/// A run's folder; StoredRun::folder is relative to the project folder.
std::filesystem::path runFolderOf(const std::filesystem::path& project, const StoredRun& run);
std::filesystem::path runLogPath(const std::filesystem::path& runFolder);

/// Locks a file for this process; the operating system releases the lock when the process ends,
/// however it ends.
class ProcessLock {
public:
    /// Null if another holder has it. Throws: Error(Io) if the file can't be created.
    static std::unique_ptr<ProcessLock> tryLock(const std::filesystem::path& path);
    /// The same for whoever keeps the lock: a program that only looks if it is held has it for a
    /// moment, which this one waits out.
    static std::unique_ptr<ProcessLock> take(const std::filesystem::path& path);
    ~ProcessLock();
    ProcessLock(const ProcessLock&) = delete;
    ProcessLock& operator=(const ProcessLock&) = delete;

private:
    explicit ProcessLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

/// Writes a running run into the history of a project: each event to the log in its folder, a
/// summary to the store from time to time, at checkpoints and at the end. The run stays locked for
/// the journal's lifetime, which distinguishes a live run from one whose program died.
/// Thread: one at a time.
class RunJournal {
public:
    /// Starts a run: gives it a number, a folder and a name, unless it has them because it waited
    /// in the history. `lock`: that of the run if the caller holds it.
    /// Throws: Error(Io); Error(State) if another program has started it.
    static std::unique_ptr<RunJournal> begin(const std::filesystem::path& project, StoredRun run,
                                             const RunSettings& settings,
                                             std::unique_ptr<ProcessLock> lock = nullptr);
    /// Continues a run after optimizer step `step`: later events are discarded. The settings are
    /// written if the run's program was killed before it wrote them. `lock`: that of the run if the
    /// caller holds it. Throws: Error(Io); Error(State) if another program writes to it.
    static std::unique_ptr<RunJournal> resume(const std::filesystem::path& project, StoredRun run,
                                              const RunSettings& settings, int64_t step,
                                              std::unique_ptr<ProcessLock> lock = nullptr);
    ~RunJournal();

    /// Throws: Error(Io), e.g. for a full disk.
    void write(const RunEvent& event);

    const StoredRun& run() const { return run_; }
    const std::filesystem::path& folder() const { return folder_; }

private:
    RunJournal(const std::filesystem::path& project, StoredRun run);
    void hold(std::unique_ptr<ProcessLock> lock);
    static void requireWaiting(const RunStore& store, const StoredRun& run);
    void note(const RunEvent& event);
    void store();

    RunStore store_;
    StoredRun run_;
    std::filesystem::path folder_;
    std::unique_ptr<ProcessLock> lock_;
    std::unique_ptr<RunLog> log_;
    MetricSummarizer summarizer_;
    bool isReady_ = false;      ///< the journal may write the run
    double secondsBefore_ = 0;  ///< of the earlier parts of the run
    std::chrono::steady_clock::time_point storedAt_;
};

/// Keeps other programs from writing to a run of the history.
/// Throws: Error(State) if one does; Error(Io).
std::unique_ptr<ProcessLock> lockRun(const std::filesystem::path& project, const StoredRun& run);

/// Whether a program writes to the run now. Throws: Error(Io).
bool isHeld(const std::filesystem::path& project, const StoredRun& run);

/// Marks runs that are recorded as running, but whose program is gone, as interrupted.
void markInterrupted(RunStore& store, const std::filesystem::path& project);
/// The same for one run as read from the history; it may have ended since.
void markIfInterrupted(RunStore& store, const std::filesystem::path& project,
                       const StoredRun& seen);

/// Imports a log that `temper train --log` wrote elsewhere into the history; its folder is the
/// log's. Returns: the run. Throws: as readRunLog().
StoredRun importRunLog(RunStore& store, const std::filesystem::path& log);

}  // namespace temper
