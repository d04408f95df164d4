// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "engine/runs/run_event.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/session/checkpoint_state.h"
#include "engine/training/spec/run_spec.h"

namespace temper {

/// The learning rate of a run's steps: its schedule's, or one set by hand. What is needed to
/// continue the run is in the state.
class RunRate {
public:
    /// Both have to outlive it.
    RunRate(const RunSpec& spec, CheckpointState& state) : spec_(spec), state_(state) {}

    /// Replaces the specification's, before begin().
    void setSchedule(std::unique_ptr<LrSchedule> schedule) { schedule_ = std::move(schedule); }

    /// The schedule continues from what the state keeps of it. `totalSteps` 0: unknown.
    /// Throws: Error(InvalidInput) if it needs evaluations or the number of steps, and has none.
    void begin(int64_t totalSteps, bool hasEvaluations);

    /// Of the step after `step` steps.
    double at(int64_t step) const;

    /// A rate from the next step on; nothing: the schedule's again. May come before begin().
    /// Returns: the event to report, if it changes anything.
    std::optional<LearningRateEvent> setByHand(std::optional<double> rate, int64_t step);

    /// Some schedules follow the losses of evaluations.
    void noteEvaluation(double loss);

private:
    const RunSpec& spec_;
    CheckpointState& state_;
    std::unique_ptr<LrSchedule> schedule_;  ///< null before begin()
};

}  // namespace temper
