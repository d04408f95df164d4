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
    void release() {
        for (const int job : jobs_) tasks_.cancel(job);
    }

private:
    TaskRunner& tasks_;
    std::array<int, 2> jobs_{};
};

}  // namespace temper::ui
