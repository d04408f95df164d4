// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "engine/runs/run_event.h"

namespace temper::ui {

/// Events passed from the training thread to the window. Thread: any.
class EventQueue {
public:
    void push(RunEvent event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(event));
    }
    /// Removes and returns all events, in order.
    std::vector<RunEvent> drain() {
        const std::lock_guard lock(mutex_);
        return std::exchange(events_, {});
    }

private:
    std::mutex mutex_;
    std::vector<RunEvent> events_;
};

}  // namespace temper::ui
