// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/run_rate.h"

#include "engine/core/error.h"
#include "engine/training/session/run_properties.h"

namespace temper {

void RunRate::begin(int64_t totalSteps, bool hasEvaluations) {
    if (totalSteps == 0 && !schedule_ && needsTotalSteps(spec_.schedule)) {
        throw Error(ErrorCode::InvalidInput,
                    "The schedule '" + spec_.schedule.key +
                        "' depends on the number of steps, which is unknown: the data does not "
                        "tell its length.",
                    "Specify the number of steps, or choose another schedule.");
    }
    if (!schedule_) schedule_ = makeLrSchedule(spec_.schedule, spec_.learningRate, totalSteps);
    if (schedule_->needsEvaluations() && !hasEvaluations) {
        throw Error(ErrorCode::InvalidInput,
                    "The schedule '" + spec_.schedule.key +
                        "' needs evaluations, but there are no evaluation samples.",
                    "Add evaluation data, or choose another schedule.");
    }
    restoreSchedule(*schedule_, state_);
    state_.optimizerState().initialLearningRate = static_cast<float>(spec_.learningRate);
}

double RunRate::at(int64_t step) const {
    const std::optional<double> fixed = fixedLearningRate(state_);
    return fixed ? *fixed : schedule_->rateAt(step);
}

std::optional<LearningRateEvent> RunRate::setByHand(std::optional<double> rate, int64_t step) {
    const std::optional<double> before = fixedLearningRate(state_);
    keepFixedLearningRate(state_, rate);
    if (before == rate || !schedule_) return std::nullopt;
    return LearningRateEvent{step, at(step), !rate};
}

void RunRate::noteEvaluation(double loss) {
    schedule_->noteEvaluation(loss);
    keepSchedule(*schedule_, state_);
}

}  // namespace temper
