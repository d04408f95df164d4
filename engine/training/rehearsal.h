// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/training/trainer.h"

namespace temper {

/// What a run will need, measured by a few of its steps.
struct RunEstimate {
    MemoryUse memory;        ///< of the session: planned, not measured
    double stepSeconds = 0;  ///< of an optimizer step with all its batches; the median
    int64_t totalSteps = 0;

    double totalSeconds() const { return stepSeconds * static_cast<double>(totalSteps); }
};

/// Takes steps of the run on a copy of the artifacts' state; nothing else changes. `cancelled` is
/// asked before each step; the result covers the steps so far then.
/// Throws: as TrainingSession and BatchLoader.
RunEstimate estimateRun(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                        const TrainerData& data, const RunSpec& run,
                        const std::function<bool()>& cancelled = {});

struct LrRangeOptions {
    double lowest = 1e-7;  ///< rate of the first step
    double highest = 10;   ///< and of the last one; they grow by equal factors
    int64_t steps = 100;
    double divergence = 4;  ///< ends where the smoothed loss is this many times its smallest value
};

struct LrRangePoint {
    double rate = 0;
    double loss = 0;      ///< of the batch, before the step
    double smoothed = 0;  ///< exponential average over the points so far, without its bias to 0
};

/// Losses over learning rates. `suggested` is the rate where the smoothed loss falls fastest over
/// the logarithm of the rate, and at most a tenth of that with the smallest loss; 0 where it never
/// falls. Source: Smith, Cyclical Learning Rates for Training Neural Networks (2017), section 3.3.
struct LrRange {
    std::vector<LrRangePoint> points;
    double suggested = 0;
};

/// Trains a copy of the artifacts' state with growing rates; see RunSpec for batches and seed.
/// `goOn` is told each point and ends the search by false.
/// Throws: as TrainingSession and BatchLoader; Error(InvalidInput) for options that make no sense.
LrRange findLearningRate(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                         const TrainerData& data, const RunSpec& run,
                         const LrRangeOptions& options = {},
                         const std::function<bool(const LrRangePoint&)>& goOn = {});

/// The suggestion for points found elsewhere.
double suggestedRate(const std::vector<LrRangePoint>& points);

}  // namespace temper
