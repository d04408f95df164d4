// SPDX-License-Identifier: Apache-2.0
#include "engine/core/thread_priority.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <thread>

namespace temper {
namespace {

/// A third of the share of a thread that waits for the same core.
constexpr int kYieldingNiceness = 5;

}  // namespace

void yieldToInteraction() {
    const auto thread = static_cast<id_t>(gettid());
    if (getpriority(PRIO_PROCESS, thread) < kYieldingNiceness)
        setpriority(PRIO_PROCESS, thread, kYieldingNiceness);  // of the thread alone, on Linux
}

void runAtIdlePriority(const std::function<void()>& work) {
    std::exception_ptr problem;
    // a thread of its own: without privileges, no thread comes back from this priority
    std::thread thread([&] {
        const sched_param none{};
        pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);  // where refused: as it was
        try {
            work();
        } catch (...) {
            problem = std::current_exception();
        }
    });
    thread.join();
    if (problem) std::rethrow_exception(problem);
}

}  // namespace temper
