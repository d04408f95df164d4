// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/jobs/job_queue.h"

namespace temper {

/// Lets others see and control the jobs of a queue: HTTP on a Unix socket in the folder and, if
/// requested, on a port of 127.0.0.1, for those who have the token (docs/jobs.md describes the
/// requests). Nothing listens on other addresses.
class JobServer {
public:
    /// Answers from now on, on threads of its own. `port`: 0 for any free one; absent: none.
    /// Throws: Error(Io) naming the socket or the port.
    JobServer(const JobFolder& folder, JobQueue& queue, std::optional<int> port);
    ~JobServer();
    JobServer(const JobServer&) = delete;
    JobServer& operator=(const JobServer&) = delete;

    /// The port in use; absent if none was requested.
    std::optional<int> port() const;

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace temper
