// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace temper {

/// The outcome of a function that was run in a separate process.
struct Trial {
    std::string problem;  ///< the error that it threw, or how the process died; empty for success
    std::string hint;
};

/// Runs `function` in a copy of this process and waits for its end. An exception, a crash, an exit
/// and running longer than `limit` are problems; its output is dropped.
/// Throws: Error(Io) if no process can be made. Thread: there should be no others.
Trial tryInProcess(const std::function<void()>& function,
                   std::chrono::milliseconds limit = std::chrono::seconds(10));

}  // namespace temper
