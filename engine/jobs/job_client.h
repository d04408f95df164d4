// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/jobs/job_checkpoints.h"
#include "engine/jobs/job_log.h"
#include "engine/jobs/job_queue.h"
#include "engine/jobs/job_request.h"
#include "engine/jobs/job_status.h"

namespace temper {

/// Where a job server is.
struct ServerAddress {
    std::filesystem::path socket;  ///< a Unix socket; or:
    int port = 0;                  ///< of this machine, also one that `ssh -L` passes on
    std::string token;
    /// The paths of projects are those of this machine: the server is not behind `ssh -L`.
    bool isHere = false;
};

/// The server of a folder on this machine. Throws: Error(NotFound) if none has run there.
ServerAddress serverIn(const std::filesystem::path& folder);

/// Talks to a job server. All functions wait for the answer. The process ignores SIGPIPE from then
/// on: the server may be gone while something is sent to it.
/// Thread: any, one call at a time.
/// Throws: Error with the server's code, message and hint; Error(Io) if there is no server;
/// Error(State) if it does not accept the token.
class JobClient {
public:
    explicit JobClient(ServerAddress address);
    ~JobClient();
    JobClient(const JobClient&) = delete;
    JobClient& operator=(const JobClient&) = delete;

    /// A call in progress and all later ones throw. Thread: any. A call that is about to begin may
    /// miss it: whoever waits for the end of a call repeats this.
    void cancel();

    /// Whether the server ends as soon as its jobs have saved.
    bool isServerEnding();
    std::vector<JobStatus> jobs();
    JobStatus job(int64_t id);
    /// As JobQueue's functions.
    JobStatus add(const NewJob& job);
    void request(int64_t id, const JobRequest& request);
    void moveFirst(int64_t id);
    void remove(int64_t id);

    /// What the log of a job has after what `follower` has taken. Waits up to `patience` for
    /// something new.
    LogFollower::News follow(int64_t id, LogFollower& follower, std::chrono::milliseconds patience);
    /// Sorted by name.
    std::vector<CheckpointInfo> checkpoints(int64_t id);
    /// Writes a checkpoint to a file, as AtomicFile does.
    void fetchCheckpoint(int64_t id, const std::string& name, const std::filesystem::path& target);
    /// Writes the project of a job as an archive, with the choices of the job's run and without
    /// large data. The server packs it first, which takes minutes for a model of many gigabytes.
    void fetchProject(int64_t id, const std::filesystem::path& target);

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace temper
