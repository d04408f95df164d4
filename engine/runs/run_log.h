// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/runs/run_record.h"

namespace temper {

/// Writes the settings and events of a run to a file, one JSON object a line. Every line reaches
/// the file at once, so that others can follow it and nothing is lost when the program dies.
/// Thread: one at a time.
class RunLog {
public:
    /// Starts an empty file. Throws: Error(Io) naming the path.
    explicit RunLog(const std::filesystem::path& path);
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    /// One line {"event": "settings", ...}, for the report of the run.
    /// Throws: Error(Io), e.g. for a full disk.
    void write(const RunSettings& settings);
    /// Throws: Error(Io), e.g. for a full disk.
    void write(const RunEvent& event);

private:
    void writeLine(std::string line);

    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// Reads what RunLog wrote; a last line that was cut off is left out.
/// Throws: Error(NotFound | Io), Error(InvalidInput) naming file and line.
RunRecord readRunLog(const std::filesystem::path& path);

}  // namespace temper
