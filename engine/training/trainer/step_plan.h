// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/training/spec/run_spec.h"

namespace temper {

/// Which batches belong to which optimizer step. An optimizer step takes `accumulate` batches, or
/// the remaining ones at the end of an epoch; it never spans two epochs.
struct StepPlan {
    int64_t batchesPerEpoch = 0;
    int64_t accumulate = 1;
    int64_t stepsPerEpoch = 0;
    int64_t totalSteps = 0;

    /// `spec.steps` counts if it is given, else `spec.epochs`.
    /// Throws: Error(InvalidInput) for epochs, steps or accumulation that make no sense.
    static StepPlan of(const RunSpec& spec, int64_t batchesPerEpoch);

    /// The first batch, counted over all epochs, of the step after `stepsDone` steps.
    int64_t firstBatchOf(int64_t stepsDone) const;
    /// Number of batches of the step after `stepsDone` steps.
    int64_t batchesOf(int64_t stepsDone) const;
    /// 1.25: a quarter of the second epoch is done.
    double epochAt(int64_t stepsDone) const;
    bool endsEpoch(int64_t stepsDone) const { return stepsDone % stepsPerEpoch == 0; }
};

}  // namespace temper
