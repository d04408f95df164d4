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
    static constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

    void watch() const;

    std::function<void()> onInterrupt_;
    std::array<struct sigaction, kSignals.size()> before_ = {};
    std::jthread thread_;
};

}  // namespace temper::cli
