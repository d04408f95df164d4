// SPDX-License-Identifier: Apache-2.0
#include "engine/training/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace temper {
namespace {

HyperParameter warmup() {
    return {"warmup_steps",
            "Warm-up",
            "steps",
            0,
            0,
            1e9,
            "The rate rises from zero over this many optimizer steps."};
}

}  // namespace

const std::vector<Choice>& scheduleChoices() {
    static const std::vector<Choice> kChoices = {
        {"constant", "Constant", "The same rate in every step.", {warmup()}},
        {"linear", "Linear", "Falls in a straight line to zero at the last step.", {warmup()}},
        {"cosine", "Cosine", "Falls along half a cosine to zero at the last step.", {warmup()}},
        {"step",
         "Step",
         "Falls by a factor at regular intervals.",
         {warmup(),
          {"step_size", "Interval", "steps", 1000, 1, 1e9, "Optimizer steps between two falls."},
          {"gamma", "Factor", "", 0.1, 0, 1, "What the rate is multiplied by at each fall."}}},
    };
    return kChoices;
}

double linearLrFactor(int64_t step, int64_t warmupSteps, int64_t totalSteps) {
    if (step < warmupSteps) {
        return static_cast<double>(step) / static_cast<double>(std::max<int64_t>(1, warmupSteps));
    }
    const auto rest = static_cast<double>(totalSteps - step);
    return std::max(0.0,
                    rest / static_cast<double>(std::max<int64_t>(1, totalSteps - warmupSteps)));
}

LrSchedule::LrSchedule(Selection schedule, double initialRate, int64_t totalSteps)
    : schedule_(std::move(schedule)), initialRate_(initialRate), totalSteps_(totalSteps) {
    schedule_.value(scheduleChoices(), "warmup_steps");
}

double LrSchedule::rateAt(int64_t stepsDone) const { return initialRate_ * factorAt(stepsDone); }

double LrSchedule::factorAt(int64_t stepsDone) const {
    const auto warmupSteps =
        static_cast<int64_t>(schedule_.value(scheduleChoices(), "warmup_steps"));
    if (stepsDone < warmupSteps) return linearLrFactor(stepsDone, warmupSteps, totalSteps_);
    const int64_t behind = stepsDone - warmupSteps;
    if (schedule_.key == "linear") return linearLrFactor(stepsDone, warmupSteps, totalSteps_);
    if (schedule_.key == "cosine") {
        const auto span = static_cast<double>(std::max<int64_t>(1, totalSteps_ - warmupSteps));
        const double done = std::min(1.0, static_cast<double>(behind) / span);
        return 0.5 * (1.0 + std::cos(std::numbers::pi * done));
    }
    if (schedule_.key == "step") {
        const double size = schedule_.value(scheduleChoices(), "step_size");
        const double gamma = schedule_.value(scheduleChoices(), "gamma");
        return std::pow(gamma, std::floor(static_cast<double>(behind) / size));
    }
    return 1.0;
}

}  // namespace temper
