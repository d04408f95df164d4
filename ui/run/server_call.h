// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <utility>

#include "engine/jobs/job_client.h"

namespace temper::ui {

/// call(JobClient&), for a task: it ends with an Error if the task is to stop. Thread: any.
template <typename F>
auto withServer(const ServerAddress& address, const std::stop_token& stop, F&& call) {
    JobClient client(address);
    const std::stop_callback cancel(stop, [&client] { client.cancel(); });
    return std::forward<F>(call)(client);
}

}  // namespace temper::ui
