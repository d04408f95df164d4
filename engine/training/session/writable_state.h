// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// A checkpoint state whose parameters a program may write to through views.
/// Thread: one at a time.
class WritableState {
public:
    explicit WritableState(CheckpointState state) : state_(std::move(state)) {}

    CheckpointState& state() { return state_; }
    const CheckpointState& state() const { return state_; }

    /// The parameter, whose memory belongs to this state only: memory that it shares with artifacts
    /// or a mapped file is copied at the first call.
    /// Throws: Error(NotFound); Error(State) for a nominal state.
    Parameter& ownParameter(const std::string& name);
    /// Copies data into that memory. Throws: as CheckpointState::setParameter().
    void setParameter(const std::string& name, const Tensor& data);

private:
    CheckpointState state_;
    std::set<std::string> own_;  ///< parameters whose memory was shared, and is no longer
};

}  // namespace temper
