// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "engine/runs/run_event.h"
#include "engine/training/spec/run_spec.h"

namespace temper {

/// When a run ends before its steps are done: where evaluations no longer improve, or where its
/// time is over. A run that continues has all of its time again.
class StopRule {
public:
    explicit StopRule(RunSpec spec) : spec_(std::move(spec)) {}

    /// What can't be told without evaluations, where they were counted on; else nothing.
    std::optional<WarningEvent> withoutEvaluations(int64_t step) const;
    /// What to say where the run is to end; else nothing.
    std::optional<WarningEvent> behindEvaluation(int64_t step, int64_t withoutImprovement) const;
    /// `seconds` since the run began or continued, without pauses.
    std::optional<WarningEvent> behindStep(int64_t step, int64_t totalSteps, double seconds) const;

private:
    RunSpec spec_;
};

}  // namespace temper
