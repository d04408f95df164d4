// SPDX-License-Identifier: Apache-2.0
#include "engine/core/idle_priority.h"

#include <pthread.h>
#include <sched.h>

#include <exception>
#include <thread>

namespace temper {

void runAtIdlePriority(const std::function<void()>& work) {
    std::exception_ptr problem;
    // a separate thread: without privileges, no thread can leave this priority again
    std::thread thread([&] {
        const sched_param none{};
        pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);  // if refused: unchanged
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
