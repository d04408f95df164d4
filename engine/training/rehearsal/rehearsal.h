// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/training/rehearsal/gradient_check.h"
#include "engine/training/trainer/trainer.h"

namespace temper {

/// What a run will need, measured by a few of its steps.
struct RunEstimate {
    MemoryUse memory;        ///< of the session: planned, not measured
    double stepSeconds = 0;  ///< of an optimizer step with all its batches; the median
    int64_t totalSteps = 0;

    double totalSeconds() const { return stepSeconds * static_cast<double>(totalSteps); }
};

/// Takes steps of the run on a copy of the artifacts' state; nothing else changes. `cancelled` is
/// polled before each step; the result then covers the steps so far.
/// Throws: as TrainingSession and BatchLoader.
RunEstimate estimateRun(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                        const TrainerData& data, const RunSpec& run,
                        const std::function<bool()>& cancelled = {});

struct LrRangeOptions {
    double lowest = 1e-7;  ///< rate of the first step
    double highest = 10;   ///< of the last step; rates grow by equal factors
    int64_t steps = 100;
    double divergence = 4;  ///< ends when the smoothed loss is this many times its minimum
};

struct LrRangePoint {
    double rate = 0;
    double loss = 0;      ///< of the batch, before the step
    double smoothed = 0;  ///< bias-corrected exponential average over the points so far
};

/// Losses over learning rates. If the loss rises at the end of the search, `suggested` is a tenth
/// of the largest rate at which it was still stable; else the rate at which the smoothed loss falls
/// fastest over the logarithm of the rate, once it has fallen by more than noise does, and at most
/// a tenth of the rate with the smallest loss; 0 if it never falls. Source: Smith, Cyclical
/// Learning Rates for Training Neural Networks (2017), section 3.3.
struct LrRange {
    std::vector<LrRangePoint> points;
    double suggested = 0;
};

/// Trains a copy of the artifacts' state with growing rates; see RunSpec for batches and seed.
/// `shouldContinue` receives each point and ends the search by returning false.
/// Throws: as TrainingSession and BatchLoader; Error(InvalidInput) for options that make no sense.
LrRange findLearningRate(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                         const TrainerData& data, const RunSpec& run,
                         const LrRangeOptions& options = {},
                         const std::function<bool(const LrRangePoint&)>& shouldContinue = {});

struct OneBatchOptions {
    int64_t steps = 200;
    double share = 0.1;  ///< learned when the loss falls to this share of the first one
};

/// Losses before each step on the same batch.
struct OneBatch {
    std::vector<double> losses;
    bool isLearned = false;

    /// The smallest loss as a share of the first one; 1 if there is none.
    double reached() const;
};

/// Trains a copy of the artifacts' state on the first batch of the run, again and again, at the
/// run's learning rate: a model whose loss, labels and gradients belong together memorizes it, and
/// one that does not will not learn more samples either. Ends once it is learned, or at a loss that
/// is not finite. `shouldContinue` receives each loss and ends it by returning false.
/// Throws: as TrainingSession and BatchLoader; Error(InvalidInput) for options that make no sense.
OneBatch learnOneBatch(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                       const TrainerData& data, const RunSpec& run,
                       const OneBatchOptions& options = {},
                       const std::function<bool(double loss)>& shouldContinue = {});

/// checkGradients() with a small first batch of the run, in float32 whatever its precision.
/// `choices` are those that the artifacts were made with.
/// Throws: as checkGradients(), TrainingSession and BatchLoader.
std::vector<GradientCheck> checkGradientsOfRun(
    const Artifacts& artifacts, const std::shared_ptr<const OpSet>& ops, const TrainerData& data,
    const RunSpec& run, const GradientChoices& choices = {},
    const std::function<bool(size_t done, size_t all)>& shouldContinue = {});

/// The suggestion for points found elsewhere.
double suggestedRate(const std::vector<LrRangePoint>& points);

}  // namespace temper
