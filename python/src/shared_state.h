// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "engine/training/session/writable_state.h"
#include "python/src/bindings.h"
#include "python/src/interpreter.h"

namespace temper::python {

/// A checkpoint state that checkpoints, parameters, sessions and optimizers of Python share. Use it
/// only in a Turn, except for what never changes: the parameters' names.
class SharedState : public WritableState {
public:
    using WritableState::WritableState;

private:
    friend class Turn;
    friend class BriefTurn;
    std::recursive_mutex mutex_;  ///< what a run calls works with the state of that run
};

/// While it lives, this thread alone works with the state, and other threads of Python run.
class Turn {
public:
    explicit Turn(SharedState& shared) : lock_(shared.mutex_) {}

private:
    LockReleased released_;  ///< before the lock: its owner may need the interpreter
    std::lock_guard<std::recursive_mutex> lock_;
};

/// A Turn for what takes less time than to release the interpreter's lock: it is kept, unless
/// another thread works with the state.
class BriefTurn {
public:
    explicit BriefTurn(SharedState& shared) : lock_(shared.mutex_, std::try_to_lock) {
        if (lock_) return;
        const LockReleased released;  // the owner of the lock may need the interpreter
        lock_.lock();
    }

private:
    std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace temper::python
