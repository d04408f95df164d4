// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rehearsal/rehearsal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/core/error.h"
#include "engine/data/batch_loader.h"
#include "engine/training/evaluation/norm_statistics.h"
#include "engine/training/trainer/step_plan.h"

namespace temper {
namespace {

constexpr int kTimedSteps = 5;
constexpr int64_t kCheckedSamples = 4;  ///< each costs dozens of forward passes per parameter
constexpr double kSmoothing = 0.9;      // weight of the past
/// The rate before the loss rises is already too large.
constexpr double kShareOfBest = 0.1;
/// The loss rises if it has lost this share of its fall again; up to a smaller share, it is stable.
constexpr double kShareOfRise = 0.5;
constexpr double kShareOfHold = 0.1;
/// The first points are not judged: the average has too few values.
constexpr size_t kUnjudgedPoints = 5;
/// A fall by less than this share of the total is noise of the batches.
constexpr double kShareOfNoise = 0.2;
/// Points on either side over which a slope is measured.
constexpr size_t kReach = 4;

/// Steps of a run that leave no trace.
class Rehearsal {
public:
    Rehearsal(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops, const TrainerData& data,
              const RunSpec& run)
        : run_(run),
          session_(artifacts, std::make_shared<CheckpointState>(artifacts.checkpoint),
                   std::move(ops), run.session),
          loader_(data.training, batchFields(session_, *data.training, data.binding, true),
                  options(data)),
          plan_(StepPlan::of(run, batchesOfRun(data))) {
        measureNormStatistics(session_, *data.training, data.binding, run.batchSize,
                              run.session.seed);
        session_.setLearningRate(static_cast<float>(run.learningRate));
    }

    /// Returns: the loss before the step, averaged over its batches.
    double step() {
        double loss = 0;
        for (int64_t i = 0; i < run_.accumulate; ++i)
            loss += session_.trainStep(nextBatch().tensors)[0].toDouble();
        const auto batches = static_cast<double>(run_.accumulate);
        if (run_.accumulate > 1) session_.scaleGradients(static_cast<float>(1 / batches));
        return finish(loss / batches);
    }

    /// The same for only this batch.
    double stepOn(const Batch& batch) {
        return finish(session_.trainStep(batch.tensors)[0].toDouble());
    }

    Batch nextBatch() {
        std::optional<Batch> batch = loader_.next();
        TEMPER_ASSERT(batch.has_value(), "the loader has no end");
        return *std::move(batch);
    }

    TrainingSession& session() { return session_; }
    const StepPlan& plan() const { return plan_; }

private:
    double finish(double loss) {
        if (std::isfinite(loss)) session_.optimizerStep();
        session_.lazyResetGrad();
        return loss;
    }

    /// Only full batches: the smaller last one of an epoch is not representative.
    LoaderOptions options(const TrainerData& data) {
        const std::optional<int64_t> fixed = fixedBatchSize(session_, true);
        const int64_t size = fixed.value_or(std::min(run_.batchSize, data.training->size()));
        return {.batchSize = size, .seed = run_.session.seed, .epochs = 0, .dropLast = true};
    }

    /// As the run itself counts.
    int64_t batchesOfRun(const TrainerData& data) {
        LoaderOptions counted = options(data);
        counted.dropLast = fixedBatchSize(session_, true).has_value();
        return batchesPerEpoch(data.training->size(), counted);
    }

    RunSpec run_;
    TrainingSession session_;
    BatchLoader loader_;
    StepPlan plan_;
};

double median(std::vector<double> numbers) {
    if (numbers.empty()) return 0;
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

void requireSensible(const LrRangeOptions& options) {
    if (options.lowest > 0 && options.highest > options.lowest && options.steps >= 2 &&
        options.divergence > 1) {
        return;
    }
    throw Error(ErrorCode::InvalidInput,
                "The learning-rate search needs a first rate above 0, a larger last rate, at least "
                "2 steps and a divergence above 1.",
                "Use the defaults: 1e-7 to 10 in 100 steps.");
}

/// The slope of the smoothed loss over the logarithm of the rate, by least squares.
double slopeAround(const std::vector<LrRangePoint>& points, size_t middle) {
    const size_t begin = middle - std::min(middle, kReach);
    const size_t end = std::min(points.size(), middle + kReach + 1);
    const auto count = static_cast<double>(end - begin);
    double meanRate = 0, meanLoss = 0;
    for (size_t i = begin; i < end; ++i) {
        meanRate += std::log(points[i].rate) / count;
        meanLoss += points[i].smoothed / count;
    }
    double covariance = 0, variance = 0;
    for (size_t i = begin; i < end; ++i) {
        const double rate = std::log(points[i].rate) - meanRate;
        covariance += rate * (points[i].smoothed - meanLoss);
        variance += rate * rate;
    }
    return variance > 0 ? covariance / variance : 0;
}

/// If the loss rose at the end of the search: the largest rate at which it was still stable.
std::optional<double> lastRateThatHolds(const std::vector<LrRangePoint>& points, double first,
                                        double lowest) {
    const double fall = first - lowest;
    if (!(fall > 0) || points.back().smoothed < lowest + kShareOfRise * fall) return std::nullopt;
    const auto holds = [&](const LrRangePoint& point) {
        return point.smoothed <= lowest + kShareOfHold * fall;
    };
    return std::find_if(points.rbegin(), points.rend(), holds)->rate;
}

}  // namespace

RunEstimate estimateRun(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                        const TrainerData& data, const RunSpec& run,
                        const std::function<bool()>& cancelled) {
    using Clock = std::chrono::steady_clock;
    Rehearsal rehearsal(artifacts, std::move(ops), data, run);
    std::vector<double> seconds;
    for (int i = 0; i <= kTimedSteps && !(cancelled && cancelled()); ++i) {
        const Clock::time_point begin = Clock::now();
        rehearsal.step();
        const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
        if (i > 0) seconds.push_back(spent);  // the first one prepares the plan
    }
    return {rehearsal.session().memoryUse(), median(std::move(seconds)),
            rehearsal.plan().totalSteps};
}

double suggestedRate(const std::vector<LrRangePoint>& points) {
    if (points.size() <= kUnjudgedPoints) return 0;
    const auto lowest = std::ranges::min_element(points, {}, &LrRangePoint::smoothed);
    const auto last = static_cast<size_t>(lowest - points.begin());
    if (last < kUnjudgedPoints) return 0;  // it only rose
    const double first = points[kUnjudgedPoints - 1].smoothed;
    // If the model is learned by then, the loss stays flat for long, far above the steepest rate.
    if (const auto rate = lastRateThatHolds(points, first, lowest->smoothed))
        return *rate * kShareOfBest;
    const double least = kShareOfNoise * (first - lowest->smoothed);
    double steepest = 0, suggested = 0;
    for (size_t i = kUnjudgedPoints; i <= last; ++i) {
        if (first - points[i].smoothed < least) continue;
        const double slope = slopeAround(points, i);
        if (!(slope < steepest)) continue;
        steepest = slope;
        suggested = points[i].rate;
    }
    return std::min(suggested, lowest->rate * kShareOfBest);
}

LrRange findLearningRate(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                         const TrainerData& data, const RunSpec& run, const LrRangeOptions& options,
                         const std::function<bool(const LrRangePoint&)>& shouldContinue) {
    requireSensible(options);
    Rehearsal rehearsal(artifacts, std::move(ops), data, run);
    LrRange range;
    double sum = 0, weight = 0, smallest = std::numeric_limits<double>::infinity();
    const auto last = static_cast<double>(options.steps - 1);
    for (int64_t i = 0; i < options.steps; ++i) {
        const double growth =
            std::pow(options.highest / options.lowest, static_cast<double>(i) / last);
        const double rate = options.lowest * growth;
        rehearsal.session().setLearningRate(static_cast<float>(rate));
        const double loss = rehearsal.step();
        if (!std::isfinite(loss)) break;
        sum = kSmoothing * sum + (1 - kSmoothing) * loss;
        weight = kSmoothing * weight + (1 - kSmoothing);
        range.points.push_back({rate, loss, sum / weight});
        if (shouldContinue && !shouldContinue(range.points.back())) break;
        smallest = std::min(smallest, sum / weight);
        if (range.points.size() > kUnjudgedPoints && sum / weight > options.divergence * smallest) {
            break;
        }
    }
    range.suggested = suggestedRate(range.points);
    return range;
}

std::vector<GradientCheck> checkGradientsOfRun(
    const Artifacts& artifacts, const std::shared_ptr<const OpSet>& ops, const TrainerData& data,
    const RunSpec& run, const GradientChoices& choices,
    const std::function<bool(size_t, size_t)>& shouldContinue) {
    RunSpec small = run;
    small.batchSize = std::min(run.batchSize, kCheckedSamples);
    small.session.precision = Precision::Float32;
    Rehearsal rehearsal(artifacts, ops, data, small);
    const Batch batch = rehearsal.nextBatch();
    return checkGradients(rehearsal.session(), ops, batch.tensors, run.session.seed, choices,
                          shouldContinue);
}

double OneBatch::reached() const {
    if (losses.empty()) return 1;
    const double first = losses.front();
    const double least = *std::ranges::min_element(losses);
    return first > 0 ? least / first : 1;
}

OneBatch learnOneBatch(const Artifacts& artifacts, std::shared_ptr<const OpSet> ops,
                       const TrainerData& data, const RunSpec& run, const OneBatchOptions& options,
                       const std::function<bool(double)>& shouldContinue) {
    if (options.steps < 1 || !(options.share > 0 && options.share < 1))
        throw Error(ErrorCode::InvalidInput,
                    "Learning one batch needs at least 1 step and a target share of the loss "
                    "between 0 and 1.",
                    "Use the defaults: 200 steps, down to 0.1.");
    Rehearsal rehearsal(artifacts, std::move(ops), data, run);
    const Batch batch = rehearsal.nextBatch();
    OneBatch learned;
    for (int64_t i = 0; i < options.steps && !learned.isLearned; ++i) {
        const double loss = rehearsal.stepOn(batch);
        if (!std::isfinite(loss)) break;
        learned.losses.push_back(loss);
        if (shouldContinue && !shouldContinue(loss)) break;
        learned.isLearned = loss <= options.share * learned.losses.front();
    }
    return learned;
}

}  // namespace temper
