// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <thread>

#include "engine/jobs/job_request.h"

namespace temper {

/// Receives the requests to the job of this process through a named pipe. It is there as long as
/// this object; a pipe that a killed process left is replaced.
class RequestPipe {
public:
    /// Calls `take` for each request, on a thread of its own; lines that are not requests are
    /// skipped. Throws: Error(Io) naming the path.
    RequestPipe(std::filesystem::path path, std::function<void(const JobRequest&)> take);
    ~RequestPipe();
    RequestPipe(const RequestPipe&) = delete;
    RequestPipe& operator=(const RequestPipe&) = delete;

private:
    void read();

    std::filesystem::path path_;
    std::function<void(const JobRequest&)> take_;
    int pipe_ = -1;
    int end_ = -1;  ///< readable when the thread has to end
    std::jthread thread_;
};

/// Sends a request to the process that has the pipe. Returns: false if there is none.
/// Throws: Error(Io) naming the path.
bool sendRequest(const std::filesystem::path& path, const JobRequest& request);

}  // namespace temper
