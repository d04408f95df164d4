// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/runs/log_entries.h"
#include "engine/runs/run_record.h"

namespace temper {

/// Writes the settings and events of a run to a file: one JSON object a line, or in the
/// compact form where the name ends with .tlog (LogForm). Every entry reaches the file at once, so
/// that others can follow it and nothing is lost when the program dies. Thread: one at a time.
class RunLog {
public:
    /// Starts an empty file. Throws: Error(Io) naming the path; Error(State) where another process
    /// writes to it, whose lines then stay.
    explicit RunLog(const std::filesystem::path& path);
    /// Goes on with a log behind optimizer step `step`, in the form that it has: what was written
    /// for later steps, and a last entry that was cut off, is left out. Where there is no log, it
    /// begins one.
    /// Throws: Error(Io) naming the path; the log is then as it was.
    static std::unique_ptr<RunLog> continued(const std::filesystem::path& path, int64_t step);
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    /// One line {"event": "settings", ...}, for the report of the run.
    /// Throws: Error(Io), e.g. for a full disk.
    void write(const RunSettings& settings);
    /// A line that can't be written, e.g. as the disk is full, waits for the next one: a fault that
    /// passes neither loses a line nor ends a run. Throws: Error(Io) where the last event of a run,
    /// or the 16 MiB before it, can't be written.
    /// A checkpoint's line also reaches the disk, with all before it: what the log says of the run
    /// up to its last checkpoint outlives a crash of the machine.
    void write(const RunEvent& event);

private:
    RunLog(const std::filesystem::path& path, const LogEncoder& encoder);

    void open(bool appends);
    bool writeWaiting();

    std::filesystem::path path_;
    int descriptor_ = -1;
    LogEncoder encoder_;
    std::string waiting_;  ///< entries that are not in the file yet
};

/// Reads what RunLog wrote; a last entry that was cut off is left out.
/// Throws: Error(NotFound | Io), Error(InvalidInput) naming file and line, or record.
RunRecord readRunLog(const std::filesystem::path& path);

/// The events of a log in their order, up to optimizer step `step`; without the settings.
/// Throws: as readRunLog().
std::vector<RunEvent> readRunEvents(const std::filesystem::path& path,
                                    int64_t step = std::numeric_limits<int64_t>::max());

/// Writes a log anew, in the form that the name of the copy asks for.
/// Throws: as readRunLog(); Error(State) for a copy in the place of a log that a run writes to.
void copyRunLog(const std::filesystem::path& from, const std::filesystem::path& to);

/// The step that an event belongs to; for a beginning the step that it goes on from.
int64_t stepOf(const RunEvent& event);

}  // namespace temper
