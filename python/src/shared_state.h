// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "engine/training/session/checkpoint_state.h"
#include "python/src/bindings.h"

namespace temper::python {

/// A checkpoint state that checkpoints, parameters, sessions and optimizers of Python share.
class SharedState {
public:
    explicit SharedState(CheckpointState state) : state_(std::move(state)) {}

    /// Use it only in a Turn, except for what never changes: the parameters' names.
    CheckpointState& state() { return state_; }

    /// The parameter, whose memory belongs to this state only: NumPy may write to it.
    Parameter& ownParameter(const std::string& name);
    /// Copies data into that memory. Throws: as CheckpointState::setParameter().
    void setParameter(const std::string& name, const Tensor& data);

private:
    friend class Turn;
    CheckpointState state_;
    std::set<std::string> own_;   ///< parameters whose memory was shared, and is no longer
    std::recursive_mutex mutex_;  ///< what a run calls works with the state of that run
};

/// While it lives, this thread alone works with the state, and other threads of Python run.
class Turn {
public:
    explicit Turn(SharedState& shared) : lock_(shared.mutex_) {}

private:
    nb::gil_scoped_release released_;  ///< before the lock: its owner may need the interpreter
    std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace temper::python
