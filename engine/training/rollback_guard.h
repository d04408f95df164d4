// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/runs/run_event.h"
#include "engine/training/checkpoint_state.h"

namespace temper {

/// Keeps in memory the state of a run from before something went wrong. A copy counts as good only
/// after several further steps whose losses were finite and did not leap: what makes a run diverge
/// is done one step before it shows. Copies take two times the state's memory, and 1 % of the time
/// at most. Thread: one at a time.
class RollbackGuard {
public:
    /// A run begins with this state, which counts as good.
    void begin(const CheckpointState& state);
    /// Behind an optimizer step. `calm` false: the loss is going up, so that no copy becomes good.
    void note(const StepEvent& step, const CheckpointState& state, bool calm = true);

    /// The step that rollBack() leads to; nothing before begin().
    std::optional<int64_t> goodStep() const;
    /// Makes the state what it was: parameters, optimizer, properties.
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
    int confirmed_ = 0;                  ///< sane steps since the candidate
    std::optional<double> averageLoss_;  ///< exponential, of the sane steps
    int64_t copiedAt_ = 0;
    double copySeconds_ = 0;  ///< of the latest copy
    double spent_ = 0;
    double elapsed_ = 0;
};

}  // namespace temper
