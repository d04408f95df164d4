// SPDX-License-Identifier: Apache-2.0
#include "python/src/home_process.h"

#include <pthread.h>

#include <atomic>

#include "engine/core/error.h"

namespace temper::python {
namespace {

std::atomic<unsigned> generation{0};

/// How many forks lead from the process that loaded the module to this one. That is cheaper to ask
/// for than the number of a process, which the kernel knows.
unsigned generationOfProcess() {
    static const int counts = pthread_atfork(nullptr, nullptr, [] { ++generation; });
    static_cast<void>(counts);
    return generation;
}

}  // namespace

HomeProcess::HomeProcess() : generation_(generationOfProcess()) {}

bool HomeProcess::isHere() const { return generation == generation_; }

void HomeProcess::arrive() { generation_ = generationOfProcess(); }

void HomeProcess::require(const char* what) const {
    if (isHere()) return;
    const std::string thing(what);
    throw Error(
        ErrorCode::State,
        "The " + thing + " was made before this process was forked; its threads are not here.",
        "Make the " + thing + " in the process that uses it.");
}

}  // namespace temper::python
