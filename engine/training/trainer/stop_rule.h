// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "engine/runs/run_event.h"
#include "engine/training/spec/run_spec.h"

namespace temper {

/// When a run ends before its steps are done: if evaluations no longer improve, or if its time is
/// up. A run that continues gets its full time again.
class StopRule {
public:
    explicit StopRule(RunSpec spec) : spec_(std::move(spec)) {}

    /// A warning if the rule needs evaluations and there are none; else nothing.
    std::optional<WarningEvent> withoutEvaluations(int64_t step) const;
    /// The warning to give if the run has to end; else nothing.
    std::optional<WarningEvent> afterEvaluation(const EvalEvent& measured) const;
    /// `seconds` since the run began or continued, without pauses. `totalSteps` 0: unknown.
    std::optional<WarningEvent> afterStep(int64_t step, int64_t totalSteps, double seconds) const;

private:
    RunSpec spec_;
};

}  // namespace temper
