// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace temper {

/// The files of a job server. Only their owner can read them.
class JobFolder {
public:
    explicit JobFolder(const std::filesystem::path& folder);

    /// Makes it if it is missing, closed to other users. Throws: Error(InvalidInput) if they can
    /// open it; Error(Io). Both name it.
    void create() const;

    /// $XDG_STATE_HOME/temper/jobs, else ~/.local/state/temper/jobs.
    /// Throws: Error(NotFound) if there is no home folder.
    static std::filesystem::path standard();

    const std::filesystem::path& path() const { return folder_; }
    std::filesystem::path database() const { return folder_ / "jobs.sqlite"; }
    std::filesystem::path token() const { return folder_ / "token"; }
    /// The Unix socket that the server listens on.
    std::filesystem::path socket() const { return folder_ / "socket"; }
    /// Held by the server, so that a folder has one.
    std::filesystem::path serverLock() const { return folder_ / "server.lock"; }
    /// What a server in the background prints.
    std::filesystem::path serverOutput() const { return folder_ / "server.txt"; }
    /// Projects that are being packed for whoever fetches them.
    std::filesystem::path archives() const { return folder_ / "archives"; }
    /// Held by the process that runs a job.
    std::filesystem::path lockOf(int64_t job) const;
    /// The pipe for requests to a running job.
    std::filesystem::path pipeOf(int64_t job) const;
    /// What the process of a job printed when it ran last.
    std::filesystem::path outputOf(int64_t job) const;

private:
    std::filesystem::path fileOf(int64_t job, const char* ending) const;

    std::filesystem::path folder_;
};

}  // namespace temper
