// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/runs/run_event.h"
#include "engine/training/monitors/step_error.h"

namespace temper {

class TrainingSession;

/// A loss that ran away.
struct Divergence {
    int64_t step = 0;
    double level = 0;      ///< smoothed loss at `step`
    double best = 0;       ///< the least smoothed loss of the run
    int64_t bestStep = 0;  ///< where that was
    double limit = 0;      ///< that the smoothed loss has been above
    int64_t since = 0;     ///< from this step on
};

/// Sees from the losses of its steps that a run diverges before they become infinite, or though
/// they never do.
///
/// The idea: an untrained model is the worst that a run has to be; one that stays far above where
/// it began is lost. "Where it began" is the median of the first kFirst losses, the smoothed loss
/// is the median of the latest kWindow ones, so that bad batches, however bad, do not count while
/// they are few. (Medians in place of means against outliers: Huber, Robust Statistics, 1981; a
/// level that has to be passed for long in place of a single alarm: Page, Continuous inspection
/// schemes, 1954.) "Far" is the largest of four measures, so that the rule does not depend on the
/// unit and the zero of a loss, nor on the noise of small batches:
/// - 1, about what untrained models have where targets are normalised or classes: near zero, ratios
///   mean nothing, and a model that was trained before may well lose something at first;
/// - how far the beginning lies from zero;
/// - how far below the beginning the run has come (losses that are or become negative);
/// - kNoise times the spread of losses (half the interquartile range), of the first ones or as it
///   has been in half of the latest kRecent windows.
///
/// A run has diverged where the smoothed loss has been that far above the beginning for more than
/// kWindow steps in a row and is not coming down. It has, too, where all is lost again: it had come
/// down clearly (by half, by kLearned, by twice what noise does), has been within a tenth of that
/// below the beginning or above it for twice as long, and is not coming down. It reads numbers that
/// are there anyway and changes nothing.
class DivergenceWatch {
public:
    static constexpr size_t kFirst = 16;
    static constexpr size_t kWindow = 32;
    static constexpr double kNoise = 4;
    static constexpr double kLearned = 0.5;

    /// Behind each step. Returns: the divergence, once it is certain.
    std::optional<Divergence> note(const StepEvent& step);

    /// Whether the smoothed loss is about the least of the latest kRecent steps, and not above the
    /// beginning: a run that diverges is not calm long before that is certain. Before there is a
    /// smoothed loss, nothing is.
    bool isCalm() const;

private:
    static constexpr size_t kRecent = 200;

    /// What a window of losses was like.
    struct Level {
        double median = 0;
        double spread = 0;  ///< half the interquartile range
    };
    /// Steps in a row whose smoothed loss was above a limit.
    struct Streak {
        double limit = 0;  ///< the latest one
        int64_t steps = 0;
        int64_t since = 0;

        void note(double level, double theLimit, int64_t step);
    };
    static Level levelOf(std::vector<double> losses);
    void noteFirst(const StepEvent& step);
    void noteLevel(int64_t step);
    double noise() const;
    double farLimit() const;
    double lostLimit() const;
    bool comesDown() const;

    std::vector<double> first_;
    double ceiling_ = 0;  ///< of the first losses and of noise
    Level begin_;
    double best_ = 0;
    int64_t bestStep_ = 0;
    std::deque<double> window_;
    std::deque<Level> recent_;  ///< one for each step, the latest last
    Streak far_;
    Streak lost_;
};

/// A run's finite losses ran away.
class DivergedError : public StepError {
public:
    /// Names the parameter with the largest gradients of the latest step, and what reads it.
    DivergedError(const Divergence& divergence, TrainingSession& session);

private:
    struct Suspect {
        std::string parameter;
        std::string node;
    };
    static Suspect suspectOf(TrainingSession& session);
    DivergedError(const Divergence& divergence, const Suspect& suspect);
};

}  // namespace temper
