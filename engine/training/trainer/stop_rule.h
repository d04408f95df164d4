// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "engine/runs/run_event.h"
#include "engine/training/spec/run_spec.h"

namespace temper {

/// When a run ends before its steps are done: if evaluations no longer improve, or if its time is
/// over. A run that continues has all of its time again.
class StopRule {
public:
    explicit StopRule(RunSpec spec) : spec_(std::move(spec)) {}

    /// What can't be told without evaluations, if they were counted on; else nothing.
    std::optional<WarningEvent> withoutEvaluations(int64_t step) const;
    /// What to say if the run is to end; else nothing.
    std::optional<WarningEvent> afterEvaluation(int64_t step, int64_t withoutImprovement) const;
    /// `seconds` since the run began or continued, without pauses.
    std::optional<WarningEvent> afterStep(int64_t step, int64_t totalSteps, double seconds) const;

private:
    RunSpec spec_;
};

}  // namespace temper
