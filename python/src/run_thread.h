// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

#include "python/src/bindings.h"

namespace temper::python {

/// Does long work in a thread of its own, while the thread that called watches for Ctrl+C and runs
/// what the work asks of Python. The first error of Python ends the work, and is the one thrown.
class RunThread {
public:
    /// `stop` ends the work early; `tick` is called about 20 times a second, with the interpreter's
    /// lock. Both may be empty.
    RunThread(std::function<void()> stop, std::function<void()> tick);

    /// Returns when the work has ended. To be called without the interpreter's lock.
    /// Throws: the first error of Python, or else what the work throws.
    void run(const std::function<void()>& work);

    /// For the work: has the calling thread do something with the interpreter's lock, and waits for
    /// it. After the first error, nothing is done any more.
    void ask(std::function<void()> action);
    /// Ends the work because of an error. Thread: any.
    void fail(std::exception_ptr error);
    bool hasFailed() const;

private:
    void serve(std::unique_lock<std::mutex>& lock);
    void guarded(const std::function<void()>& action);

    std::function<void()> stop_;
    std::function<void()> tick_;
    std::chrono::steady_clock::time_point lastTick_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> asked_;  ///< by the work, which waits until it is empty
    std::exception_ptr error_;
    bool isDone_ = false;
};

}  // namespace temper::python
