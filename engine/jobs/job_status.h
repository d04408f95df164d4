// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/jobs/job_store.h"
#include "engine/runs/run_store.h"

namespace temper {

/// A job and what the history of its project says of its run.
struct JobStatus {
    Job job;
    std::string name;  ///< of the run
    RunStatus status = RunStatus::Waiting;
    bool isPaused = false;
    int64_t step = 0;
    int64_t totalSteps = 0;  ///< 0: not known yet
    double seconds = 0;

    bool operator==(const JobStatus&) const = default;
};

/// The tag of runs that wait for a job server: the window's own queue leaves them to it.
inline constexpr const char* kJobTag = "job server";

/// What a person wants to know of a job. In the queue, a run that was interrupted waits.
enum class JobState { Waiting, Running, Paused, Finished, Stopped, Failed, GivenUp };

JobState stateOf(const JobStatus& status);
/// "given up".
std::string_view stateName(JobState state);

/// The run of a job. Throws: Error(NotFound) if its project or the run is gone; Error(Io).
StoredRun runOf(const Job& job);

/// Reads it from the history of the project; a run whose program died is then interrupted.
/// Throws: as runOf().
JobStatus statusOf(const Job& job);

/// {"id": 1, "project": "/home/a/digits", "run": 3, "name": "Run 3", "status": "running", ...}.
std::string toJson(const JobStatus& status);
/// A list of them.
std::string toJson(const std::vector<JobStatus>& statuses);
/// The inverses. Throw: Error(InvalidInput) naming the key.
JobStatus jobStatusFromJson(std::string_view json);
std::vector<JobStatus> jobStatusesFromJson(std::string_view json);

}  // namespace temper
