// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "engine/training/session/writable_state.h"
#include "python/src/bindings.h"
#include "python/src/home_process.h"
#include "python/src/interpreter.h"

namespace temper::python {

/// A checkpoint state that checkpoints, parameters, sessions and optimizers of Python share. Use it
/// only in a Turn, except for what never changes: the parameters' names.
class SharedState : public WritableState {
public:
    using WritableState::WritableState;

private:
    friend class StateLock;
    friend class TrainingClaim;
    friend class BriefTrainingTurn;

    /// In a forked process, threads that used the state do not exist.
    /// Throws: Error(State) if one did when the process was forked.
    void arrive();

    std::recursive_mutex mutex_;     ///< for as long as the state is used
    std::recursive_mutex training_;  ///< for as long as it is trained: during a run, in all steps
    std::atomic<int64_t> waiting_ = 0;  ///< threads that want mutex_
    std::atomic<int64_t> served_ = 0;   ///< how often a thread that had to wait got it
    HomeProcess home_;
};

/// While it lives, this thread alone works with the state. To be made without the interpreter's
/// lock, which another thread that works with the state may need.
class StateLock {
public:
    explicit StateLock(SharedState& shared);
    ~StateLock();
    StateLock(const StateLock&) = delete;
    StateLock& operator=(const StateLock&) = delete;

    /// Each thread that waits has the state first, before it is this thread's again.
    void passOn();
    /// Does something during which the state is anyone's.
    template <typename Action>
    void without(Action&& action) {
        shared_.mutex_.unlock();
        action();
        shared_.mutex_.lock();
    }

private:
    SharedState& shared_;
};

/// While it lives, this thread alone works with the state, and other threads of Python run. During
/// a run, turns are between its steps.
class Turn {
public:
    explicit Turn(SharedState& shared) : lock_(shared) {}

private:
    LockReleased released_;
    StateLock lock_;
};

/// While it lives, no other thread trains the state; a run holds it in all its steps. Other threads
/// of Python run, and may have turns.
class TrainingClaim {
public:
    /// Throws: Error(State) in data that a run with the state reads, which would wait for itself.
    explicit TrainingClaim(SharedState& shared);

private:
    LockReleased released_;
    std::lock_guard<std::recursive_mutex> lock_;
};

/// A turn to train.
class TrainingTurn {
public:
    explicit TrainingTurn(SharedState& shared) : claim_(shared), lock_(shared) {}

private:
    TrainingClaim claim_;
    StateLock lock_;
};

/// A TrainingTurn for what takes less time than to release the interpreter's lock: it is kept,
/// unless another thread works with the state.
class BriefTrainingTurn {
public:
    explicit BriefTrainingTurn(SharedState& shared);

private:
    std::unique_lock<std::recursive_mutex> training_;
    std::unique_lock<std::recursive_mutex> lock_;
};

/// While it lives, what this thread calls is data of a run that trains the state.
class FeedingScope {
public:
    explicit FeedingScope(const SharedState& shared);
    ~FeedingScope();
    FeedingScope(const FeedingScope&) = delete;
    FeedingScope& operator=(const FeedingScope&) = delete;

private:
    const SharedState* outer_;
};

}  // namespace temper::python
