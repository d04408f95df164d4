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

/// Where things are in a project folder.
std::filesystem::path runStorePath(const std::filesystem::path& project);
/// A run's folder; StoredRun::folder is relative to the project's.
std::filesystem::path runFolderOf(const std::filesystem::path& project, const StoredRun& run);
std::filesystem::path runLogPath(const std::filesystem::path& runFolder);

/// Holds a file for this process; the operating system lets go when the process ends, however it
/// ends.
class ProcessLock {
public:
    /// Null where another holder has it. Throws: Error(Io) where the file can't be made.
    static std::unique_ptr<ProcessLock> tryLock(const std::filesystem::path& path);
    ~ProcessLock();
    ProcessLock(const ProcessLock&) = delete;
    ProcessLock& operator=(const ProcessLock&) = delete;

private:
    explicit ProcessLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

/// Writes a run that is going on into the history of a project: each event to the log of its
/// folder, a summary to the store from time to time, at checkpoints and at the end. While it
/// lives the run is locked, so that a run whose program died is told from one that goes on.
/// Thread: one at a time.
class RunJournal {
public:
    /// A run that begins: gives it a number, a folder and a name. Throws: Error(Io).
    static std::unique_ptr<RunJournal> begin(const std::filesystem::path& project, StoredRun run,
                                             const RunSettings& settings);
    /// A run that goes on behind optimizer step `step`: later events are forgotten. The settings
    /// are written where the run's program was killed before it wrote them.
    /// Throws: Error(Io); Error(State) where another program writes to it.
    static std::unique_ptr<RunJournal> resume(const std::filesystem::path& project, StoredRun run,
                                              const RunSettings& settings, int64_t step);
    ~RunJournal();

    /// Throws: Error(Io), e.g. for a full disk.
    void write(const RunEvent& event);

    const StoredRun& run() const { return run_; }
    const std::filesystem::path& folder() const { return folder_; }

private:
    RunJournal(const std::filesystem::path& project, StoredRun run);
    void lock();
    void note(const RunEvent& event);
    void store();

    RunStore store_;
    StoredRun run_;
    std::filesystem::path folder_;
    std::unique_ptr<ProcessLock> lock_;
    std::unique_ptr<RunLog> log_;
    MetricSummarizer summarizer_;
    bool isReady_ = false;      ///< the run is this journal's to write
    double secondsBefore_ = 0;  ///< of the parts of the run that were done before
    std::chrono::steady_clock::time_point storedAt_;
};

/// Runs that are said to go on, but whose program is gone, become interrupted ones.
void markInterrupted(RunStore& store, const std::filesystem::path& project);
/// The same for one run, as it was seen in the history; it may have ended since.
void markIfInterrupted(RunStore& store, const std::filesystem::path& project,
                       const StoredRun& seen);

/// Puts a log that `temper train --log` wrote elsewhere into the history; its folder is the log's.
/// Returns: the run. Throws: as readRunLog().
StoredRun importRunLog(RunStore& store, const std::filesystem::path& log);

}  // namespace temper
