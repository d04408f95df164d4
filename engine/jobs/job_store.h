// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/runs/database.h"

namespace temper {

/// A run of a project in the queue of a job server. How far the run is, the history of its project
/// says; a job is only its place in the queue.
struct Job {
    int64_t id = 0;                 ///< given by the store, never used again
    std::filesystem::path project;  ///< its folder, absolute
    int64_t run = 0;                ///< its number in the project's history
    bool isOver = false;            ///< it is not begun or continued any more
    std::string stop = {};          ///< the stop that was requested of it: nameOf(); empty: none
    std::string problem = {};       ///< why the server gave it up; empty if it did not
    std::string hint = {};

    bool operator==(const Job&) const = default;
};

/// The queue, in one SQLite file. Thread: any, one call at a time; processes can share the file.
class JobStore {
public:
    /// Creates the file if it is missing. Throws: Error(Io | InvalidInput) naming it.
    explicit JobStore(const std::filesystem::path& path);

    /// In the order of the queue.
    std::vector<Job> jobs() const;
    /// Throws: Error(NotFound) naming the number.
    Job job(int64_t id) const;
    /// Puts a run at the end of the queue. A job of the same run that is over begins again, at the
    /// end. Throws: Error(State) if the run is in the queue.
    Job add(const std::filesystem::path& project, int64_t run);
    /// Throws: Error(NotFound).
    void requestStop(int64_t id, const std::string& stop);
    /// The job is not begun or continued any more. Throws: Error(NotFound).
    void end(int64_t id, const std::string& problem = {}, const std::string& hint = {});
    /// Moves a job to the head of the queue. Throws: Error(NotFound).
    void moveFirst(int64_t id);
    /// Throws: Error(NotFound).
    void remove(int64_t id);

private:
    void requireChange(int64_t id) const;

    Database database_;
};

}  // namespace temper
