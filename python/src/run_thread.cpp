// SPDX-License-Identifier: Apache-2.0
#include "python/src/run_thread.h"

#include <thread>
#include <utility>

#include "python/src/interpreter.h"

namespace temper::python {
namespace {

constexpr std::chrono::milliseconds kTick{50};

/// Throws: python_error (KeyboardInterrupt) if a signal has come. Only in Python's main thread.
void checkSignals() {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

RunThread::RunThread(std::function<void()> stop, std::function<void()> tick)
    : stop_(std::move(stop)), tick_(std::move(tick)) {}

void RunThread::run(const std::function<void()>& work) {
    std::exception_ptr ended;
    std::thread thread([&] {
        try {
            work();
        } catch (...) {
            ended = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        isDone_ = true;
        changed_.notify_all();
    });
    {
        std::unique_lock lock(mutex_);
        while (!isDone_) {
            changed_.wait_for(lock, kTick, [&] { return isDone_ || asked_; });
            serve(lock);
        }
    }
    thread.join();
    if (error_) std::rethrow_exception(error_);
    if (ended) std::rethrow_exception(ended);
}

void RunThread::serve(std::unique_lock<std::mutex>& lock) {
    const std::function<void()> asked = asked_;
    lock.unlock();
    {
        const LockAcquired interpreter;
        guarded(checkSignals);
        if (asked) guarded(asked);
        const auto now = std::chrono::steady_clock::now();
        if (tick_ && now - lastTick_ >= kTick) {
            lastTick_ = now;
            guarded(tick_);
        }
    }
    lock.lock();
    if (!asked) return;
    asked_ = nullptr;
    changed_.notify_all();
}

void RunThread::guarded(const std::function<void()>& action) {
    if (hasFailed()) return;
    try {
        action();
    } catch (...) {
        fail(std::current_exception());
    }
}

void RunThread::ask(std::function<void()> action) {
    std::unique_lock lock(mutex_);
    asked_ = std::move(action);
    changed_.notify_all();
    changed_.wait(lock, [&] { return !asked_; });
}

void RunThread::fail(std::exception_ptr error) {
    {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
    }
    if (stop_) stop_();
}

bool RunThread::hasFailed() const {
    const std::lock_guard lock(mutex_);
    return error_ != nullptr;
}

}  // namespace temper::python
