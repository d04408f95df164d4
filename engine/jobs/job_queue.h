// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/jobs/job_folder.h"
#include "engine/jobs/job_request.h"
#include "engine/jobs/job_status.h"
#include "engine/jobs/job_store.h"
#include "engine/runs/run_journal.h"

namespace temper {

/// A run for the queue.
struct NewJob {
    std::filesystem::path project;  ///< its folder, absolute
    int64_t run = 0;                ///< in its history; 0: a new one
    /// Of a new run: its choices, as project.json has them; empty: those of the project now.
    std::string spec = {};
};

/// Begins jobs one after the other, each in a process of its own, and watches them. The processes
/// outlive a killed queue: the next one of the same folder finds them by their locks. A run whose
/// process is gone without having ended is continued from its last checkpoint.
/// Thread: run() on one, the others from any.
class JobQueue {
public:
    /// Starts the process of a job; returns its number.
    using Start = std::function<pid_t(int64_t job)>;

    /// At most `parallel` jobs run at the same time. Throws: Error(State) if another process has a
    /// queue in this folder; Error(Io).
    JobQueue(const JobFolder& folder, Start start, int parallel = 1);

    /// Begins and watches jobs until stop().
    void run();
    /// Ends run(), after the running jobs have saved and ended. The next queue of this folder
    /// continues them.
    void stop();
    /// After stop().
    bool isStopping() const;

    /// In the order of the queue. A project that can't be read is the problem of its jobs.
    std::vector<JobStatus> statuses() const;
    /// Throws: Error(NotFound).
    JobStatus status(int64_t id) const;
    /// Puts a run at the end of the queue.
    /// Throws: Error(NotFound) if there is no such project or run; Error(State) if the run is in
    /// the queue, or has ended; Error(InvalidInput) if the choices are not valid.
    JobStatus add(const NewJob& job);
    /// Passes a request on to a running job. One that waits can be stopped: it is not begun.
    /// Throws: Error(NotFound); Error(State) if it does not run.
    void request(int64_t id, const JobRequest& request);
    /// Moves a job to the head of the queue. Throws: Error(NotFound).
    void moveFirst(int64_t id);
    /// Takes a job out of the queue; its run stays in the history of its project.
    /// Throws: Error(NotFound); Error(State) if it runs.
    void remove(int64_t id);

private:
    using Clock = std::chrono::steady_clock;

    struct Running {
        pid_t process = 0;                       ///< 0: begun by an earlier queue
        int64_t step = 0;                        ///< of its run when it began
        std::filesystem::path checkpoints = {};  ///< where its run saves
        std::string passedOn = {};               ///< the stop that its process has received
    };
    /// What keeps a job from being begun at once.
    struct Setback {
        int crashes = 0;  ///< in a row, without a step in between
        Clock::time_point notBefore;
        std::string problem;
        std::string hint;
    };

    void watch(const Job& job);
    void passStopOn(const Job& job);
    bool isTaken(int64_t id) const;
    std::optional<int> exitOf(int64_t id, const Running& running) const;
    void settle(const Job& job, const Running& running, int exit);
    void noteCrash(const Job& job, const Running& running, const JobStatus& status, int exit);
    void begin(const Job& job);
    bool isSavedTo(const std::filesystem::path& checkpoints) const;
    void postpone(int64_t id, Clock::duration time);
    static JobStatus statusOrProblem(const Job& job);
    Job withSetback(Job job) const;
    /// Postpones the job if `action` throws.
    template <typename F>
    void guard(const Job& job, F&& action);

    const JobFolder folder_;
    const Start start_;
    const size_t parallel_;
    std::unique_ptr<ProcessLock> lock_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    JobStore store_;
    std::map<int64_t, Running> running_;
    std::map<int64_t, Setback> setbacks_;
    bool stops_ = false;
};

}  // namespace temper
