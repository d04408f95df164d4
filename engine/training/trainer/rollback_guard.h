// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/runs/run_event.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// Keeps in memory the state of a run from before something went wrong. A copy counts as good only
/// after several further steps whose losses were finite and did not jump: what makes a run diverge
/// happens one step before it shows. The times of the copies depend only on the steps, so that the
/// same run has the same good states on every machine. They take twice the state's memory. Thread:
/// one at a time.
class RollbackGuard {
public:
    /// Starts a run with this state, which counts as good.
    void begin(const CheckpointState& state);
    /// After an optimizer step. `calm` false: the loss is rising, so that no copy becomes good.
    void note(const StepEvent& step, const CheckpointState& state, bool calm = true);

    /// The step that rollBack() leads to; nothing before begin().
    std::optional<int64_t> goodStep() const;
    /// Restores the state: parameters, optimizer, properties.
    /// Throws: Error(State) before begin().
    int64_t rollBack(CheckpointState& state) const;

private:
    struct Copy {
        int64_t step = 0;
        CheckpointFile file;
    };
    Copy copyOf(const CheckpointState& state);
    bool isSane(const StepEvent& step) const;
    bool isDue(int64_t step) const;

    std::optional<Copy> good_;
    std::optional<Copy> candidate_;
    int confirmed_ = 0;                  ///< good steps since the candidate
    std::optional<double> averageLoss_;  ///< exponential average over the good steps
    int64_t beganAt_ = 0;                ///< step of the state that the run started with
    int64_t copiedAt_ = 0;               ///< step of the latest copy
};

}  // namespace temper
