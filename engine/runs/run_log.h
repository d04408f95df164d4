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

/// Writes the settings and events of a run to a file: one JSON object per line, or the compact form
/// if the name ends with .tlog (LogForm). Every entry reaches the file at once, so that others can
/// follow it and nothing is lost if the program dies. Thread: one at a time.
class RunLog {
public:
    /// Starts an empty file. Throws: Error(Io) naming the path; Error(State) if another process
    /// writes to it, whose lines are then kept.
    explicit RunLog(const std::filesystem::path& path);
    /// Continues a log after optimizer step `step`, in its form: entries for later steps and a last
    /// entry that was cut off are dropped. If there is no log, starts one.
    /// Throws: Error(Io) naming the path; the log is then unchanged.
    static std::unique_ptr<RunLog> continued(const std::filesystem::path& path, int64_t step);
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    /// One line {"event": "settings", ...}, for the report of the run.
    /// Throws: Error(Io), e.g. for a full disk.
    void write(const RunSettings& settings);
    /// A line that can't be written, e.g. because the disk is full, waits for the next one: a
    /// transient fault neither loses a line nor ends a run. Throws: Error(Io) if the last event of
    /// a run can't be written, or more than 16 MiB are waiting.
    /// A checkpoint's line is also flushed to the disk, with all lines before it: the log up to the
    /// last checkpoint survives a crash of the machine.
    void write(const RunEvent& event);

private:
    RunLog(const std::filesystem::path& path, const LogEncoder& encoder);

    void open(bool appends);
    bool writeWaiting();

    std::filesystem::path path_;
    int descriptor_ = -1;
    LogEncoder encoder_;
    std::string waiting_;  ///< entries not yet in the file
};

/// Reads what RunLog wrote; a last entry that was cut off is left out.
/// Throws: Error(NotFound | Io), Error(InvalidInput) naming file and line, or record.
RunRecord readRunLog(const std::filesystem::path& path);

/// The events of a log in order, up to optimizer step `step`; without the settings.
/// Throws: as readRunLog().
std::vector<RunEvent> readRunEvents(const std::filesystem::path& path,
                                    int64_t step = std::numeric_limits<int64_t>::max());

/// Rewrites a log in the form given by the name of the copy.
/// Throws: as readRunLog(); Error(State) for a copy that would replace a log that a run writes to.
void copyRunLog(const std::filesystem::path& from, const std::filesystem::path& to);

/// The step that an event belongs to; for a start, the step it continues from.
int64_t stepOf(const RunEvent& event);

}  // namespace temper
