// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

namespace temper {

/// Runs independent tasks on a fixed number of threads (including the caller's).
///
/// Results never depend on the number of threads: callers split their work by its size, never by
/// threads(), and combine partial results in task order.
/// Thread: one caller at a time; a task must not call run() of the same pool.
class ThreadPool {
public:
    /// `threads` >= 1; 0 means one per core. `onWorkerStart` runs first in every worker thread.
    explicit ThreadPool(int threads = 0, std::function<void()> onWorkerStart = {});
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const;

    using Task = void (*)(void* context, int64_t index);

    /// Calls task(context, i) once for each i in [0, count), in any order and on any thread;
    /// returns when all are done. Allocates nothing. The first exception of a task is rethrown.
    void run(int64_t count, Task task, void* context);

    /// The same for a callable `f(int64_t index)`.
    template <typename F>
    void forEach(int64_t count, F&& f) {
        using Callable = std::remove_reference_t<F>;
        run(
            count, [](void* context, int64_t index) { (*static_cast<Callable*>(context))(index); },
            const_cast<void*>(static_cast<const void*>(&f)));
    }

    /// Splits [0, count) into ranges of `grain` and calls `f(begin, end)` for each.
    template <typename F>
    void forRanges(int64_t count, int64_t grain, F&& f) {
        const int64_t ranges = grain > 0 ? (count + grain - 1) / grain : 0;
        if (ranges <= 1) {
            if (count > 0) f(int64_t{0}, count);
            return;
        }
        forEach(ranges, [&](int64_t i) {
            const int64_t begin = i * grain;
            f(begin, begin + grain < count ? begin + grain : count);
        });
    }

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace temper
