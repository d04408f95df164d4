// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizers/plateau_schedule.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "engine/core/error.h"
#include "engine/training/optimizers/lr_curves.h"

namespace temper {
namespace {

/// Smaller reductions of the rate are skipped, as in PyTorch.
constexpr double kSmallestFall = 1e-8;

}  // namespace

double PlateauSchedule::rateAt(int64_t stepsDone) const {
    if (stepsDone >= warmupSteps_) return rate_;
    return rate_ * linearLrFactor(stepsDone, warmupSteps_, warmupSteps_);
}

bool PlateauSchedule::isBetter(double loss) const {
    if (!std::isfinite(best_)) return loss < best_;
    const double margin = rule_.isRelative ? best_ * rule_.threshold : rule_.threshold;
    return loss < best_ - margin;
}

void PlateauSchedule::noteEvaluation(double loss) {
    if (isBetter(loss)) {
        best_ = loss;
        bad_ = 0;
    } else {
        ++bad_;
    }
    if (resting_ > 0) {
        --resting_;
        bad_ = 0;
    }
    if (bad_ > rule_.patience) lower();
}

void PlateauSchedule::lower() {
    const double lowered = std::max(rate_ * rule_.factor, rule_.minimum);
    if (rate_ - lowered > kSmallestFall) rate_ = lowered;
    resting_ = rule_.cooldown;
    bad_ = 0;
}

std::string PlateauSchedule::state() const {
    char text[128];
    std::snprintf(text, sizeof text, "plateau %.17g %.17g %" PRId64 " %" PRId64, rate_, best_, bad_,
                  resting_);
    return text;
}

void PlateauSchedule::restore(const std::string& state) {
    if (!state.starts_with("plateau ")) return;  // of another schedule
    PlateauSchedule read = *this;
    const int fields = std::sscanf(state.c_str(), "plateau %lg %lg %" SCNd64 " %" SCNd64,
                                   &read.rate_, &read.best_, &read.bad_, &read.resting_);
    if (fields != 4) {
        throw Error(ErrorCode::InvalidInput,
                    "The schedule's state in the checkpoint is '" + state +
                        "'; expected 'plateau' and four numbers.",
                    "To restart the schedule, remove the property 'temper.schedule'.");
    }
    *this = read;
}

}  // namespace temper
