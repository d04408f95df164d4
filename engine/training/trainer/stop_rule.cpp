// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/stop_rule.h"
#include "engine/core/counted.h"

#include <string>

namespace temper {
std::optional<WarningEvent> StopRule::withoutEvaluations(int64_t step) const {
    const bool countsOnThem =
        spec_.earlyStopPatience > 0 || spec_.bestMetric != "loss" || spec_.keepBest > 1;
    if (!countsOnThem) return std::nullopt;
    return WarningEvent{
        step, "No evaluation samples: the run has no best checkpoint and does not stop early.",
        "Add evaluation data."};
}

std::optional<WarningEvent> StopRule::afterEvaluation(const EvalEvent& measured) const {
    const bool isOver =
        spec_.earlyStopPatience > 0 && measured.withoutImprovement >= spec_.earlyStopPatience;
    if (!isOver) return std::nullopt;
    return WarningEvent{measured.step,
                        "The evaluation's " + spec_.bestMetric + " has not improved " +
                            counted(measured.withoutImprovement, "time") +
                            " in a row: the run ends early.",
                        "The checkpoint \"best\" holds the best parameters."};
}

std::optional<WarningEvent> StopRule::afterStep(int64_t step, int64_t totalSteps,
                                                double seconds) const {
    const bool isLast = totalSteps > 0 && step >= totalSteps;
    const bool isOver = spec_.timeLimit > 0 && !isLast && seconds >= spec_.timeLimit;
    if (!isOver) return std::nullopt;
    return WarningEvent{step,
                        "The time limit was reached after step " + std::to_string(step) +
                            (totalSteps > 0 ? " of " + std::to_string(totalSteps) : "") +
                            ": the run ends early.",
                        "Continue it from its last checkpoint; the time starts from 0."};
}

}  // namespace temper
