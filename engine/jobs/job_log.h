// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/runs/run_event.h"

namespace temper {

/// A piece of a run's log, for those that follow it from elsewhere.
struct LogPiece {
    /// Which file it is from: a run that is continued from a checkpoint gets a new log, which ends
    /// with that step.
    std::string generation;
    int64_t begin = 0;  ///< bytes of the log before it
    std::string bytes;  ///< empty: nothing new
};

/// The log from `begin` on, at most kLongestPiece bytes of it; from its start if the log is not of
/// this generation any more. Waits for something new, but not longer than `patience`.
/// Throws: Error(Io) naming the file. A log that is not there yet has nothing new.
LogPiece readLogPiece(const std::filesystem::path& log, const std::string& generation,
                      int64_t begin, std::chrono::milliseconds patience);

inline constexpr int64_t kLongestPiece = 4 << 20;  // bytes

/// Whether the last thing that a log says of a running run is that it is paused.
bool isPausedNow(const std::filesystem::path& log);

/// Puts the pieces of a log together.
class LogFollower {
public:
    /// Where the next piece has to begin, and of which log.
    int64_t position() const { return position_; }
    const std::string& generation() const { return generation_; }

    struct News {
        bool startsOver = false;  ///< all events so far are void
        std::vector<RunEvent> events;
    };
    /// Takes the next piece. Throws: Error(InvalidInput) naming the line that is not an event.
    News take(const LogPiece& piece);

private:
    std::string generation_;
    int64_t position_ = 0;
    std::string rest_;  ///< the beginning of a line
};

}  // namespace temper
