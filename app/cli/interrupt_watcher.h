// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <thread>

namespace temper::cli {

/// While it lives, Ctrl+C and a request to terminate call a function, on another thread, instead of
/// ending the program; the second one ends it. Make it before other threads start.
class InterruptWatcher {
public:
    explicit InterruptWatcher(std::function<void()> onInterrupt);
    ~InterruptWatcher();
    InterruptWatcher(const InterruptWatcher&) = delete;
    InterruptWatcher& operator=(const InterruptWatcher&) = delete;

private:
    void watch(const std::stop_token& stop);

    std::function<void()> onInterrupt_;
    std::jthread thread_;
};

}  // namespace temper::cli
