// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_queue.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/file_lock.h"
#include "engine/jobs/job_checkpoints.h"
#include "engine/jobs/job_process.h"
#include "engine/jobs/request_pipe.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/projects/project_run.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kTick{100};
/// Until a job that another program holds is tried again.
constexpr std::chrono::seconds kHeldElsewhere{2};
/// Until what failed is tried again, such as a project on a disk that is not mounted yet.
constexpr std::chrono::seconds kAfterFailure{5};
constexpr int kMaxCrashes = 3;

/// The wait status of a process whose parent is another one is not known.
constexpr int kUnknownExit = -1;

bool hasEnded(RunStatus status) {
    return status == RunStatus::Finished || status == RunStatus::Failed;
}

std::unique_ptr<ProcessLock> lockFolder(const JobFolder& folder) {
    folder.create();
    auto lock = ProcessLock::take(folder.serverLock());
    if (lock != nullptr) return lock;
    throw Error(ErrorCode::State,
                "Another server runs the jobs of '" + folder.path().string() + "'.",
                "Use it, or choose another folder with --folder.");
}

std::string numbered(int64_t id) { return "Job " + std::to_string(id); }

/// Throws: Error(NotFound).
fs::path projectFolder(const fs::path& given) {
    if (given.is_absolute() && isProjectFolder(given)) return fs::canonical(given);
    throw Error(ErrorCode::NotFound, "'" + given.string() + "' is not the folder of a project.",
                "Save the project first, and specify the absolute path of its folder.");
}

/// The new run waits in the history, which must not forget it: the queue does not.
StoredRun addRun(const fs::path& project, const std::string& spec) {
    const ProjectFile file = spec.empty() ? readProject(project) : projectFromJson(spec, project);
    StoredRun run = newRunOf(file.spec, project);
    run.status = RunStatus::Waiting;
    run.tags = {kJobTag};
    RunStore store(runStorePath(project));
    store.outlastPowerCuts();
    return store.add(run);
}

/// Throws: Error(NotFound), Error(State) if it has ended.
void requireNotEnded(const fs::path& project, int64_t id) {
    const StoredRun run = RunStore(runStorePath(project)).run(id);
    if (!hasEnded(run.status)) return;
    throw Error(
        ErrorCode::State,
        "The run '" + run.name + "' has ended: " + std::string(statusName(run.status)) + ".",
        "Add a new run of the project.");
}

/// Whatever else has a queue may begin the run from now on.
void releaseRun(const Job& job) {
    try {
        RunStore store(runStorePath(job.project));
        StoredRun run = store.run(job.run);
        if (run.status == RunStatus::Waiting && std::erase(run.tags, kJobTag) > 0)
            store.updateLabels(run);
    } catch (const Error&) {  // its project is gone
    }
}

/// Where it saves; empty if its settings can't be read, which its process reports.
fs::path checkpointsOf(const Job& job) {
    try {
        return checkpointFolderOf(job);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

JobQueue::JobQueue(const JobFolder& folder, Start start, int parallel)
    : folder_(folder),
      start_(std::move(start)),
      parallel_(static_cast<size_t>(parallel)),
      lock_(lockFolder(folder_)),
      store_(folder_.database()) {}

// ---- begins and watches ------------------------------------------------------------------------

template <typename F>
void JobQueue::guard(const Job& job, F&& action) {
    try {
        action(job);
    } catch (const Error& error) {
        postpone(job.id, kAfterFailure);
        setbacks_[job.id].problem = error.what();
        setbacks_[job.id].hint = error.hint();
    } catch (const std::exception& error) {
        postpone(job.id, kAfterFailure);
        setbacks_[job.id].problem = error.what();
    }
}

void JobQueue::run() {
    std::vector<Job> jobs;
    std::unique_lock lock(mutex_);
    while (true) {
        try {
            jobs = store_.jobs();
        } catch (const Error&) {  // those of the last time
        }
        for (const Job& job : jobs) guard(job, [this](const Job& each) { watch(each); });
        if (stops_ && running_.empty()) return;
        for (const Job& job : jobs) {
            if (!stops_) guard(job, [this](const Job& each) { begin(each); });
        }
        changed_.wait_for(lock, kTick);
    }
}

void JobQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    changed_.notify_all();
}

bool JobQueue::isStopping() const {
    const std::lock_guard lock(mutex_);
    return stops_;
}

/// Whether a process runs the job: it holds the lock.
bool JobQueue::isTaken(int64_t id) const {
    const fs::path path = folder_.lockOf(id);
    return fs::exists(path) && ProcessLock::tryLock(path) == nullptr;
}

/// Nothing as long as the job runs.
std::optional<int> JobQueue::exitOf(int64_t id, const Running& running) const {
    if (running.process == 0) return isTaken(id) ? std::nullopt : std::optional(kUnknownExit);
    int exit = 0;
    const pid_t ended = ::waitpid(running.process, &exit, WNOHANG);
    if (ended == 0) return std::nullopt;
    return ended == running.process ? exit : kUnknownExit;
}

/// Finds a process that an earlier queue has begun, passes a stop on to the process of a job, and
/// notes its end.
void JobQueue::watch(const Job& job) {
    if (!running_.contains(job.id)) {
        if (job.isOver || !isTaken(job.id)) return;
        running_[job.id] = {.step = statusOrProblem(job).step, .checkpoints = checkpointsOf(job)};
    }
    passStopOn(job);
    Running& running = running_.at(job.id);
    const std::optional<int> exit = exitOf(job.id, running);
    if (!exit) return;
    const Running ended = running;
    running_.erase(job.id);
    settle(store_.job(job.id), ended, *exit);
}

/// Until its process has a pipe, and once: a run that stops after its epoch can be paused again.
void JobQueue::passStopOn(const Job& job) {
    const std::string stop = stops_ ? std::string(nameOf(JobRequest::Kind::Stop)) : job.stop;
    Running& running = running_.at(job.id);
    if (stop.empty() || stop == running.passedOn) return;
    if (sendRequest(folder_.pipeOf(job.id), {.kind = requestKindFromName(stop)}))
        running.passedOn = stop;
}

/// A run that was stopped without a request to this queue is continued.
void JobQueue::settle(const Job& job, const Running& running, int exit) {
    if (job.isOver) return;
    const JobStatus status = statusOf(job);
    if (hasEnded(status.status) || !job.stop.empty()) return store_.end(job.id);
    if (status.status == RunStatus::Stopped || stops_) return;
    if (exit != kUnknownExit && WIFEXITED(exit) && WEXITSTATUS(exit) == kJobIsTaken)
        return postpone(job.id, kHeldElsewhere);
    noteCrash(job, running, status, exit);
}

void JobQueue::noteCrash(const Job& job, const Running& running, const JobStatus& status,
                         int exit) {
    Setback& setback = setbacks_[job.id];
    setback.crashes = status.step > running.step ? 1 : setback.crashes + 1;
    if (setback.crashes < kMaxCrashes) return;
    const std::string how =
        exit == kUnknownExit ? "is gone"
        : WIFSIGNALED(exit)
            ? "was ended by the signal '" + std::string(::strsignal(WTERMSIG(exit))) + "'"
            : "ended with status " + std::to_string(WEXITSTATUS(exit));
    store_.end(job.id,
               "The process of the job " + how + ", " + std::to_string(setback.crashes) +
                   " times in a row without a step in between.",
               "See what it printed in '" + folder_.outputOf(job.id).string() + "'.");
}

void JobQueue::begin(const Job& job) {
    if (job.isOver || running_.contains(job.id) || running_.size() >= parallel_) return;
    Setback& setback = setbacks_[job.id];
    if (Clock::now() < setback.notBefore) return;
    const JobStatus status = statusOf(job);
    setback.problem = setback.hint = "";
    if (hasEnded(status.status) || !job.stop.empty()) return store_.end(job.id);
    // This queue has just given it up.
    if (store_.job(job.id).isOver) return;
    const fs::path checkpoints = checkpointsOf(job);
    if (!checkpoints.empty() && isSavedTo(checkpoints)) return;
    // The window or the command line trains it, or another run that saves to its folder.
    if (isHeld(job.project, runOf(job)) || FolderLock::isHeld(checkpoints))
        return postpone(job.id, kHeldElsewhere);
    running_[job.id] = {.process = start_(job.id), .step = status.step, .checkpoints = checkpoints};
}

/// Whether a running job saves to the folder: then the next one that does waits.
bool JobQueue::isSavedTo(const fs::path& checkpoints) const {
    return std::ranges::any_of(
        running_, [&](const auto& job) { return job.second.checkpoints == checkpoints; });
}

void JobQueue::postpone(int64_t id, Clock::duration time) {
    setbacks_[id].notBefore = Clock::now() + time;
}

// ---- for others --------------------------------------------------------------------------------

JobStatus JobQueue::statusOrProblem(const Job& job) {
    try {
        return statusOf(job);
    } catch (const Error& error) {
        JobStatus status;
        status.job = job;
        status.name = "Run " + std::to_string(job.run);
        if (job.problem.empty()) {
            status.job.problem = error.what();
            status.job.hint = error.hint();
        }
        return status;
    }
}

/// The job, with what keeps it from being begun.
Job JobQueue::withSetback(Job job) const {
    const auto setback = setbacks_.find(job.id);
    if (setback == setbacks_.end() || !job.problem.empty()) return job;
    job.problem = setback->second.problem;
    job.hint = setback->second.hint;
    return job;
}

/// Reads the projects without the lock: one on a slow disk must not keep the queue waiting.
std::vector<JobStatus> JobQueue::statuses() const {
    std::vector<Job> jobs;
    {
        const std::lock_guard lock(mutex_);
        for (Job& job : store_.jobs()) jobs.push_back(withSetback(std::move(job)));
    }
    std::vector<JobStatus> statuses;
    for (const Job& job : jobs) statuses.push_back(statusOrProblem(job));
    return statuses;
}

JobStatus JobQueue::status(int64_t id) const {
    Job job;
    {
        const std::lock_guard lock(mutex_);
        job = withSetback(store_.job(id));
    }
    return statusOrProblem(job);
}

JobStatus JobQueue::add(const NewJob& wanted) {
    const fs::path project = projectFolder(wanted.project);
    if (wanted.run != 0) requireNotEnded(project, wanted.run);
    const int64_t run = wanted.run != 0 ? wanted.run : addRun(project, wanted.spec).id;
    Job job;
    try {
        const std::lock_guard lock(mutex_);
        job = store_.add(project, run);
    } catch (const Error&) {
        if (wanted.run == 0) RunStore(runStorePath(project)).erase(run);
        throw;
    }
    changed_.notify_all();
    return statusOf(job);
}

void JobQueue::request(int64_t id, const JobRequest& request) {
    const std::lock_guard lock(mutex_);
    const Job job = store_.job(id);
    if (job.isOver) {
        throw Error(ErrorCode::State, numbered(id) + " is over.", "Add a new run of its project.");
    }
    if (request.isStop()) {
        // First: a queue that is killed now must not continue the run. A process that begins now
        // sees it, too.
        store_.requestStop(id, std::string(nameOf(request.kind)));
        if (!running_.contains(id) && !isTaken(id)) store_.end(id);
        if (sendRequest(folder_.pipeOf(id), request) && running_.contains(id))
            running_.at(id).passedOn = nameOf(request.kind);
        return;
    }
    if (sendRequest(folder_.pipeOf(id), request)) return;
    throw Error(ErrorCode::State, numbered(id) + " has not started yet.",
                "Try again once it is running.");
}

void JobQueue::moveFirst(int64_t id) {
    const std::lock_guard lock(mutex_);
    store_.moveFirst(id);
    changed_.notify_all();
}

void JobQueue::remove(int64_t id) {
    Job job;
    {
        const std::lock_guard lock(mutex_);
        job = store_.job(id);
        if (running_.contains(id) || isTaken(id))
            throw Error(ErrorCode::State, numbered(id) + " runs.", "Stop it first.");
        store_.remove(id);
        setbacks_.erase(id);
    }
    releaseRun(job);
}

}  // namespace temper
