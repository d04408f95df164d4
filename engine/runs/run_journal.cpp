// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/run_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = "lock";
/// Between two summaries in the store, unless something happens that others wait for.
constexpr std::chrono::seconds kStoreInterval{2};

fs::path lockPath(const fs::path& folder) { return folder / kLockName; }

double secondsSince1970(fs::file_time_type time) {
    const auto system = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration<double>(system.time_since_epoch()).count();
}

double now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

RunStatus statusOf(RunOutcome outcome) {
    switch (outcome) {
        case RunOutcome::Finished: return RunStatus::Finished;
        case RunOutcome::Stopped: return RunStatus::Stopped;
        case RunOutcome::Failed: break;
    }
    return RunStatus::Failed;
}

/// What the history says of a run follows from its events.
void take(const RunEvent& event, StoredRun& run) {
    if (const auto* started = std::get_if<StartedEvent>(&event.fact)) {
        run.totalSteps = started->totalSteps;
        run.status = RunStatus::Running;
    } else if (const auto* step = std::get_if<StepEvent>(&event.fact)) {
        run.step = step->step;
    } else if (const auto* end = std::get_if<EndEvent>(&event.fact)) {
        run.status = statusOf(end->outcome);
    }
}

bool othersWaitFor(const RunEvent& event) {
    return std::holds_alternative<StartedEvent>(event.fact) ||
           std::holds_alternative<CheckpointEvent>(event.fact) ||
           std::holds_alternative<EndEvent>(event.fact);
}

/// Throws: Error(State) if another program has it.
std::unique_ptr<ProcessLock> lockFolder(const fs::path& folder) {
    if (auto lock = ProcessLock::tryLock(lockPath(folder))) return lock;
    throw Error(ErrorCode::State,
                "The run in '" + folder.string() + "' is being written by another program.",
                "Wait until it has finished, or stop it.");
}

}  // namespace

fs::path runStorePath(const fs::path& project) { return project / "runs.sqlite"; }

fs::path runFolderOf(const fs::path& project, const StoredRun& run) { return project / run.folder; }

fs::path runLogPath(const fs::path& runFolder) { return runFolder / "run.jsonl"; }

// ---- the lock ----------------------------------------------------------------------------------

std::unique_ptr<ProcessLock> ProcessLock::tryLock(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        throw Error(ErrorCode::Io,
                    "'" + path.string() + "' can't be created: " + std::strerror(errno) + ".",
                    "Check that the folder exists and is writable.");
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        return std::unique_ptr<ProcessLock>(new ProcessLock(descriptor));
    }
    ::close(descriptor);
    return nullptr;
}

std::unique_ptr<ProcessLock> ProcessLock::take(const fs::path& path) {
    constexpr int kTries = 50;
    constexpr std::chrono::milliseconds kPause{10};
    for (int i = 0; i < kTries; ++i) {
        if (auto lock = tryLock(path)) return lock;
        std::this_thread::sleep_for(kPause);
    }
    return nullptr;
}

ProcessLock::~ProcessLock() { ::close(descriptor_); }

// ---- the journal -------------------------------------------------------------------------------

RunJournal::RunJournal(const fs::path& project, StoredRun run)
    : store_(runStorePath(project)), run_(std::move(run)) {}

RunJournal::~RunJournal() {
    if (!isReady_) return;
    try {
        store();
    } catch (const Error&) {  // the log has everything; resume() reads it
    }
}

/// Whoever begins a run holds its lock, so that nobody begins it between this and the next line.
void RunJournal::requireWaiting(const RunStore& store, const StoredRun& run) {
    if (store.run(run.id).status == RunStatus::Waiting) return;
    throw Error(ErrorCode::State, "The run '" + run.name + "' is no longer waiting.",
                "Another program has begun it.");
}

std::unique_ptr<RunJournal> RunJournal::begin(const fs::path& project, StoredRun run,
                                              const RunSettings& settings,
                                              std::unique_ptr<ProcessLock> lock) {
    ensureFolder(project);
    std::unique_ptr<RunJournal> journal(new RunJournal(project, std::move(run)));
    StoredRun& row = journal->run_;
    row.startedAt = now();
    const bool waited = row.id != 0;
    if (!waited) {
        row.status = RunStatus::Stopped;  // until it is locked
        row = journal->store_.add(row);
    }
    journal->folder_ = runFolderOf(project, row);
    ensureFolder(journal->folder_);
    journal->hold(std::move(lock));
    if (waited) requireWaiting(journal->store_, row);
    row.status = RunStatus::Running;
    journal->log_ = std::make_unique<RunLog>(runLogPath(journal->folder_));
    journal->log_->write(settings);
    journal->isReady_ = true;
    journal->store();
    return journal;
}

std::unique_ptr<RunJournal> RunJournal::resume(const fs::path& project, StoredRun run,
                                               const RunSettings& settings, int64_t step,
                                               std::unique_ptr<ProcessLock> lock) {
    std::unique_ptr<RunJournal> journal(new RunJournal(project, std::move(run)));
    journal->folder_ = runFolderOf(project, journal->run_);
    ensureFolder(journal->folder_);
    journal->hold(std::move(lock));
    journal->isReady_ = true;
    const fs::path path = runLogPath(journal->folder_);
    journal->log_ = RunLog::continued(path, step);
    if (fs::file_size(path) == 0) journal->log_->write(settings);
    journal->run_.step = 0;
    for (const RunEvent& event : readRunEvents(path)) journal->note(event);
    journal->secondsBefore_ = journal->run_.seconds;
    journal->run_.status = RunStatus::Running;
    journal->store();
    return journal;
}

void RunJournal::hold(std::unique_ptr<ProcessLock> lock) {
    lock_ = lock != nullptr ? std::move(lock) : lockFolder(folder_);
}

void RunJournal::note(const RunEvent& event) {
    summarizer_.add(event);
    take(event, run_);
}

void RunJournal::write(const RunEvent& event) {
    log_->write(event);
    note(event);
    run_.seconds = secondsBefore_ + event.time;
    if (!othersWaitFor(event) && std::chrono::steady_clock::now() - storedAt_ < kStoreInterval)
        return;
    try {
        // Whoever sees the end relies on it, after a power cut as well.
        if (std::holds_alternative<EndEvent>(event.fact)) store_.outlastPowerCuts();
        store();
    } catch (const Error&) {  // retried with the next event; the log has everything
        if (std::holds_alternative<EndEvent>(event.fact)) throw;
    }
}

void RunJournal::store() {
    run_.metrics = summarizer_.summaries();
    store_.updateProgress(run_);
    storedAt_ = std::chrono::steady_clock::now();
}

// ---- the rest ----------------------------------------------------------------------------------

std::unique_ptr<ProcessLock> lockRun(const fs::path& project, const StoredRun& run) {
    const fs::path folder = runFolderOf(project, run);
    ensureFolder(folder);
    return lockFolder(folder);
}

bool isHeld(const fs::path& project, const StoredRun& run) {
    const fs::path folder = runFolderOf(project, run);
    // Nobody can write to a folder that is gone.
    return fs::is_directory(folder) && ProcessLock::tryLock(lockPath(folder)) == nullptr;
}

void markInterrupted(RunStore& store, const fs::path& project) {
    for (const StoredRun& run : store.runs()) markIfInterrupted(store, project, run);
}

void markIfInterrupted(RunStore& store, const fs::path& project, const StoredRun& seen) {
    if (seen.status != RunStatus::Running) return;
    const fs::path folder = runFolderOf(project, seen);
    // Nobody can write to a folder that is gone.
    const bool isThere = fs::is_directory(folder);
    // Held until it is marked, so that nobody continues it meanwhile.
    const auto lock = isThere ? ProcessLock::tryLock(lockPath(folder)) : nullptr;
    if (isThere && lock == nullptr) return;
    StoredRun run = store.run(seen.id);
    if (run.status != RunStatus::Running) return;
    run.status = RunStatus::Interrupted;
    store.updateProgress(run);
}

StoredRun importRunLog(RunStore& store, const fs::path& log) {
    const RunRecord record = readRunLog(log);
    StoredRun run;
    run.name = record.settings.title.empty() ? log.stem().string() : record.settings.title;
    run.folder = fs::absolute(log).parent_path().string();
    run.startedAt = secondsSince1970(fs::last_write_time(log));
    run.status = RunStatus::Interrupted;
    run.notes = record.settings.command;
    MetricSummarizer summarizer;
    for (const RunEvent& event : readRunEvents(log)) {
        summarizer.add(event);
        take(event, run);
        run.seconds = event.time;
    }
    run.startedAt -= run.seconds;
    if (!record.end) run.status = RunStatus::Interrupted;
    run.metrics = summarizer.summaries();
    return store.add(run);
}

}  // namespace temper
