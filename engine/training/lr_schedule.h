// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/training/training_spec.h"

namespace temper {

/// Factor of the initial rate after `step` optimizer steps: up from 0 in `warmupSteps`, then down
/// to 0 at `totalSteps`. Source: spec/training_api.md section 5.
double linearLrFactor(int64_t step, int64_t warmupSteps, int64_t totalSteps);

/// The learning rate as a function of the optimizer steps done.
class LrSchedule {
public:
    /// Throws: Error(InvalidInput) naming an unknown schedule or hyperparameter.
    LrSchedule(Selection schedule, double initialRate, int64_t totalSteps);

    /// Rate of the optimizer step behind `stepsDone` steps.
    double rateAt(int64_t stepsDone) const;

private:
    double factorAt(int64_t stepsDone) const;

    Selection schedule_;
    double initialRate_;
    int64_t totalSteps_;
};

}  // namespace temper
