// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/planned_steps.h"

#include "engine/core/error.h"
#include "engine/data/batch_loader.h"
#include "engine/training/trainer/step_plan.h"

namespace temper::ui {

int64_t plannedSteps(const RunSpec& run, int64_t samples, std::optional<int64_t> fixedBatch) {
    if (run.steps > 0) return run.steps;
    LoaderOptions options;
    options.batchSize = fixedBatch.value_or(run.batchSize);
    options.dropLast = fixedBatch.has_value();  // as the trainer does
    try {
        return StepPlan::of(run, batchesPerEpoch(samples, options)).totalSteps;
    } catch (const Error&) {
        return 0;
    }
}

}  // namespace temper::ui
