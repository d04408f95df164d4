// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <chrono>
#include <stop_token>
#include <thread>

#include "ui/tasks/task_runner.h"

namespace temper::ui {

/// Keeps both workers of a window busy until they are released, or the window is gone.
class BusyWorkers {
public:
    explicit BusyWorkers(TaskRunner& tasks) : tasks_(tasks) {
        for (int& job : jobs_)
            job = tasks.run(
                "Long job", {},
                [](const std::stop_token& stop) {
                    while (!stop.stop_requested())
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    return true;
                },
                [](bool) {}, {});
    }
    /// Whether the user can cancel a task with this title; older ones that can be are cancelled.
    bool delay(const QString& title) {
        const RunningTask shown = tasks_.shown();
        if (shown.title == title) return true;
        if (shown.canBeCancelled) tasks_.cancel(shown.id);
        return false;
    }
    void release() {
        for (const int job : jobs_) tasks_.cancel(job);
    }

private:
    TaskRunner& tasks_;
    std::array<int, 2> jobs_{};
};

}  // namespace temper::ui
