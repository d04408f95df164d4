// SPDX-License-Identifier: Apache-2.0
#include "engine/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace temper {

struct ThreadPool::State {
    std::mutex mutex;
    std::condition_variable wake;
    std::condition_variable done;
    uint64_t generation = 0;
    int active = 0;  // workers that have not finished the current generation
    bool stop = false;

    Task task = nullptr;
    void* context = nullptr;
    int64_t count = 0;
    std::atomic<int64_t> next{0};
    std::exception_ptr failure;

    std::vector<std::thread> workers;

    void work() {
        while (true) {
            const int64_t index = next.fetch_add(1, std::memory_order_relaxed);
            if (index >= count) return;
            try {
                task(context, index);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        }
    }

    void workerLoop() {
        uint64_t seen = 0;
        std::unique_lock lock(mutex);
        while (true) {
            wake.wait(lock, [&] { return stop || generation != seen; });
            if (stop) return;
            seen = generation;
            lock.unlock();
            work();
            lock.lock();
            if (--active == 0) done.notify_one();
        }
    }
};

ThreadPool::ThreadPool(int threads, std::function<void()> onWorkerStart)
    : state_(std::make_unique<State>()) {
    if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    for (int i = 1; i < threads; ++i) {
        state_->workers.emplace_back([state = state_.get(), onWorkerStart] {
            if (onWorkerStart) onWorkerStart();
            state->workerLoop();
        });
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
    }
    state_->wake.notify_all();
    for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::run(int64_t count, Task task, void* context) {
    if (count <= 0) return;
    if (count == 1 || state_->workers.empty()) {
        for (int64_t i = 0; i < count; ++i) task(context, i);
        return;
    }
    {
        const std::lock_guard lock(state_->mutex);
        state_->task = task;
        state_->context = context;
        state_->count = count;
        state_->next.store(0, std::memory_order_relaxed);
        state_->failure = nullptr;
        state_->active = static_cast<int>(state_->workers.size());
        ++state_->generation;
    }
    state_->wake.notify_all();
    state_->work();
    std::unique_lock lock(state_->mutex);
    state_->done.wait(lock, [&] { return state_->active == 0; });
    if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
}

}  // namespace temper
