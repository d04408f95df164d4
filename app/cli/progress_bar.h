// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace temper::cli {

/// One line that is redrawn: share done, a bar, time left, a text. Draws nothing if the stream is
/// not a terminal.
class ProgressBar {
public:
    ProgressBar(std::ostream& stream, bool isTerminal)
        : stream_(stream), isTerminal_(isTerminal), start_(Clock::now()) {}
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// Work done before the start does not count for the time left.
    void begin(int64_t total, int64_t doneBefore);
    void update(int64_t done, const std::string& text);
    /// Removes it, so that a line can be printed; the next update draws it again.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    std::string timeLeft(int64_t done) const;

    std::ostream& stream_;
    bool isTerminal_;
    bool isDrawn_ = false;
    int64_t total_ = 0;
    int64_t doneBefore_ = 0;
    Clock::time_point start_;
    Clock::time_point lastDrawn_;
};

}  // namespace temper::cli
