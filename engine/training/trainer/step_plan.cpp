// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/step_plan.h"

#include <algorithm>
#include <limits>

#include "engine/core/error.h"

namespace temper {

StepPlan StepPlan::of(const RunSpec& spec, int64_t batchesPerEpoch) {
    TEMPER_ASSERT(batchesPerEpoch > 0, "an epoch has batches");
    const auto refuse = [](const char* name, int64_t value, const char* limit, int64_t expected) {
        throw Error(ErrorCode::InvalidInput, std::string(name) + " is " + std::to_string(value) +
                                                 "; expected at " + limit + " " +
                                                 std::to_string(expected) + ".");
    };
    const auto require = [&](int64_t value, int64_t minimum, const char* name) {
        if (value < minimum) refuse(name, value, "least", minimum);
    };
    require(spec.steps, 0, "The number of steps");
    if (spec.steps == 0) {
        const int64_t most = std::numeric_limits<int64_t>::max() / batchesPerEpoch;
        require(spec.epochs, 1, "The number of epochs");
        if (spec.epochs > most) refuse("The number of epochs", spec.epochs, "most", most);
    }
    require(spec.accumulate, 1, "The number of accumulated batches");
    StepPlan plan;
    plan.batchesPerEpoch = batchesPerEpoch;
    plan.accumulate = std::min(spec.accumulate, batchesPerEpoch);
    plan.stepsPerEpoch = (batchesPerEpoch + plan.accumulate - 1) / plan.accumulate;
    plan.totalSteps = spec.steps > 0 ? spec.steps : spec.epochs * plan.stepsPerEpoch;
    return plan;
}

int64_t StepPlan::firstBatchOf(int64_t stepsDone) const {
    return stepsDone / stepsPerEpoch * batchesPerEpoch + stepsDone % stepsPerEpoch * accumulate;
}

int64_t StepPlan::batchesOf(int64_t stepsDone) const {
    const int64_t begin = stepsDone % stepsPerEpoch * accumulate;
    return std::min(accumulate, batchesPerEpoch - begin);
}

double StepPlan::epochAt(int64_t stepsDone) const {
    return static_cast<double>(stepsDone) / static_cast<double>(stepsPerEpoch);
}

}  // namespace temper
