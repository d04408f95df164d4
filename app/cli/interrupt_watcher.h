// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <thread>

namespace temper::cli {

/// While it lives, Ctrl+C and a termination request call a function, on another thread, instead of
/// ending the program; the second one ends it. Only one may exist at a time.
class InterruptWatcher {
public:
    explicit InterruptWatcher(std::function<void()> onInterrupt);
    ~InterruptWatcher();
    InterruptWatcher(const InterruptWatcher&) = delete;
    InterruptWatcher& operator=(const InterruptWatcher&) = delete;

private:
    /// mpirun passes the last one on to all ranks.
    static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGUSR1};

    void watch() const;

    std::function<void()> onInterrupt_;
    std::array<struct sigaction, kSignals.size()> before_ = {};
    std::jthread thread_;
};

}  // namespace temper::cli
