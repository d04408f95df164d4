// SPDX-License-Identifier: Apache-2.0
#include "python/src/interpreter.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace temper::python {
namespace {

constexpr std::chrono::milliseconds kPause{1};
constexpr int kMostPauses = 1000;  // a function of the user's may wait for something

std::atomic<bool> isEnding{false};
std::atomic<std::thread::id> endingThread;
/// Threads that wait for the interpreter's lock, or have it in a function that the engine calls.
std::atomic<int> entering{0};

thread_local bool isReleased = false;  ///< by a LockReleased

/// Threads of the engine are unknown to Python until they take the lock.
bool hasLock() { return !isReleased && PyGILState_GetThisThreadState() != nullptr; }

/// To be called before a thread takes the lock, which it may have already; leave() follows.
void enter() {
    ++entering;
    const bool mayGoOn = endingThread.load() == std::this_thread::get_id() || hasLock();
    if (!isEnding || mayGoOn) return;
    --entering;
    while (true) ::pause();
}

void leave() { --entering; }

/// Python calls it with the lock, when only threads are left that it does not wait for.
void letOthersFinish() {
    endingThread = std::this_thread::get_id();
    isEnding = true;
    PyThreadState* state = PyEval_SaveThread();
    for (int i = 0; entering > 0 && i < kMostPauses; ++i) std::this_thread::sleep_for(kPause);
    PyEval_RestoreThread(state);
}

}  // namespace

LockReleased::LockReleased() : state_(PyEval_SaveThread()) { isReleased = true; }

LockReleased::~LockReleased() {
    enter();
    PyEval_RestoreThread(state_);
    isReleased = false;
    leave();
}

LockAcquired::LockAcquired() : wasReleased_(isReleased) {
    enter();
    state_ = PyGILState_Ensure();
    isReleased = false;
}

LockAcquired::~LockAcquired() {
    PyGILState_Release(state_);
    isReleased = wasReleased_;
    leave();
}

void watchEndOfInterpreter() {
    ::pthread_atfork(nullptr, nullptr, [] { entering = 0; });  // the others stay behind
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&letOthersFinish));
}

}  // namespace temper::python
