// SPDX-License-Identifier: Apache-2.0
#include "engine/core/thread_pool.h"

#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engine/core/error.h"

namespace temper {
namespace {

/// How long a thread looks for work before it sleeps. Waking a sleeping thread takes 30 to 60 us,
/// as long as a small operator; the kernels of a training step follow each other more closely.
constexpr auto kLookout = std::chrono::microseconds(50);
constexpr int kLooksPerClock = 16;

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Whether `happened` became true within kLookout.
template <typename Condition>
bool lookOut(const Condition& happened) {
    const auto end = std::chrono::steady_clock::now() + kLookout;
    do {
        for (int i = 0; i < kLooksPerClock; ++i) {
            if (happened()) return true;
            relax();
        }
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

/// The core that the calling thread runs on; -1 if unknown.
int currentCore() {
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

/// Moves the calling thread to another of the cores that it may use, if there is one. Afterwards it
/// may use the same ones as before.
void leaveCore([[maybe_unused]] int core) {
#if defined(__linux__)
    cpu_set_t before;
    if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof before, &before) != 0)
        return;
    cpu_set_t others = before;
    CPU_CLR(static_cast<size_t>(core), &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
    sched_setaffinity(0, sizeof before, &before);
#endif
}

}  // namespace

/// One job at a time. `ticket` holds the number of the job (high half) and of its next task (low
/// half); a thread takes a task by adding one to it. A late thread thus finds another job's number
/// and takes nothing, so that nobody has to wait for threads that took no task.
struct ThreadPool::State {
    static constexpr uint32_t kClosed = std::numeric_limits<uint32_t>::max();

    std::atomic<uint64_t> ticket{kClosed};
    // Written while the ticket is closed. A thread that read another job's value finds the ticket
    // changed: hence the release stores and acquire loads.
    std::atomic<Task> task{nullptr};
    std::atomic<void*> context{nullptr};
    std::atomic<int64_t> count{0};
    std::atomic<int64_t> finished{0};

    std::mutex mutex;  // sleeping, and `failure`
    std::condition_variable wake;
    std::condition_variable done;
    std::atomic<int> sleepers{0};
    std::atomic<bool> callerSleeps{false};
    std::atomic<bool> stop{false};
    std::atomic<int> callerCore{-1};  ///< the core on which the job was opened
    std::exception_ptr failure;

    const pid_t process = getpid();
    bool spins = false;  // each thread has a core
    std::vector<std::thread> workers;

    bool hasWork() const {
        const auto next = static_cast<uint32_t>(ticket.load());
        return next != kClosed && next < count.load(std::memory_order_acquire);
    }

    bool isDone() const { return finished.load() == count.load(std::memory_order_relaxed); }

    void open(int64_t tasks, Task newTask, void* newContext) {
        const uint64_t job = (ticket.load(std::memory_order_relaxed) >> 32) + 1;
        ticket.store(job << 32 | kClosed, std::memory_order_relaxed);
        task.store(newTask, std::memory_order_release);
        context.store(newContext, std::memory_order_release);
        count.store(tasks, std::memory_order_release);
        finished.store(0, std::memory_order_relaxed);
        callerCore.store(currentCore(), std::memory_order_relaxed);
        ticket.store(job << 32);
        if (sleepers.load() == 0) return;
        { const std::lock_guard lock(mutex); }  // a thread about to sleep sleeps now
        wake.notify_all();
    }

    /// Runs a task of the current job. Returns: whether there was one to take.
    bool runOne() {
        uint64_t taken = ticket.load(std::memory_order_acquire);
        while (true) {
            const auto index = static_cast<uint32_t>(taken);
            const Task run = task.load(std::memory_order_acquire);
            void* const with = context.load(std::memory_order_acquire);
            const int64_t all = count.load(std::memory_order_acquire);
            if (index == kClosed || index >= all) return false;
            if (!ticket.compare_exchange_weak(taken, taken + 1, std::memory_order_acq_rel,
                                              std::memory_order_acquire))
                continue;
            try {
                run(with, index);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
            // After the last task the caller may return, and the job is gone.
            if (finished.fetch_add(1) + 1 == all && callerSleeps.load()) {
                { const std::lock_guard lock(mutex); }
                done.notify_one();
            }
            return true;
        }
    }

    void workerLoop() {
        while (true) {
            leaveCallersCore();
            while (runOne()) {
            }
            if (spins && lookOut([&] { return hasWork() || stop.load(); }) && !stop.load())
                continue;
            std::unique_lock lock(mutex);
            sleepers.fetch_add(1);
            wake.wait(lock, [&] { return stop.load() || hasWork(); });
            sleepers.fetch_sub(1);
            if (stop.load()) return;
        }
    }

    /// The system tends to wake a thread on the core of its waker, and leaves both there for up to
    /// a second while another core is idle.
    void leaveCallersCore() {
        const int core = callerCore.load(std::memory_order_relaxed);
        if (spins && core >= 0 && core == currentCore()) leaveCore(core);
    }

    void waitUntilDone() {
        if (isDone() || (spins && lookOut([&] { return isDone(); }))) return;
        std::unique_lock lock(mutex);
        callerSleeps.store(true);
        done.wait(lock, [&] { return isDone(); });
        callerSleeps.store(false);
    }
};

ThreadPool::ThreadPool(int threads, std::function<void()> onWorkerStart)
    : state_(std::make_unique<State>()) {
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    if (threads <= 0) threads = cores;
    state_->spins = threads <= cores;
    for (int i = 1; i < threads; ++i) {
        state_->workers.emplace_back([state = state_.get(), onWorkerStart] {
            if (onWorkerStart) onWorkerStart();
            state->workerLoop();
        });
    }
}

ThreadPool::~ThreadPool() {
    if (getpid() != state_->process) {
        // After a fork nobody would answer: not the threads, nor who waits for the condition.
        static_cast<void>(state_.release());
        return;
    }
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
    TEMPER_ASSERT(count < State::kClosed, "work is cut into fewer than 2^32 tasks");
    state_->open(count, task, context);
    while (state_->runOne()) {
    }
    state_->waitUntilDone();
    const std::lock_guard lock(state_->mutex);
    if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
}

}  // namespace temper
