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

/// A loss that diverged.
struct Divergence {
    int64_t step = 0;
    double level = 0;      ///< smoothed loss at `step`
    double best = 0;       ///< the lowest smoothed loss of the run
    int64_t bestStep = 0;  ///< step of that loss
    double limit = 0;      ///< the limit that the smoothed loss exceeds
    int64_t since = 0;     ///< from this step on
};

/// Detects from the losses of its steps that a run diverges, before they become infinite, or if
/// they never do.
///
/// The idea: no run has to be worse than an untrained model; one that stays far above its start is
/// lost. The start is the median of the first kFirst losses, the smoothed loss is the median of the
/// latest kWindow ones, so that bad batches, however bad, do not count while they are few. (Medians
/// instead of means against outliers: Huber, Robust Statistics, 1981; a level that has to be
/// exceeded for long instead of a single alarm: Page, Continuous inspection schemes, 1954.) "Far"
/// is the largest of four measures, so that the rule does not depend on the unit and the zero of a
/// loss, nor on the noise of small batches:
/// - 1, about the loss of untrained models with normalized targets or classes: near zero, ratios
///   mean nothing, and a pretrained model may well lose something at first;
/// - the distance of the start from zero;
/// - how far the run has come below the start (losses that are or become negative);
/// - kNoise times the spread of losses (half the interquartile range), of the first ones or as it
///   was in half of the latest kRecent windows.
///
/// A run has diverged if the smoothed loss has been that far above the start for more than kWindow
/// steps in a row and is not falling. It has also diverged if all progress is lost: the loss had
/// clearly fallen (by half, by kLearned, by twice what noise does), has been within a tenth of that
/// below the start or above it for twice as long, and is not falling. The watch reads numbers that
/// exist anyway and changes nothing.
class DivergenceWatch {
public:
    static constexpr size_t kFirst = 16;
    static constexpr size_t kWindow = 32;
    static constexpr double kNoise = 4;
    static constexpr double kLearned = 0.5;

    /// Call it after each step. Returns: the divergence, once it is certain.
    std::optional<Divergence> note(const StepEvent& step);

    /// Whether the smoothed loss is about the lowest of the latest kRecent steps, and not above the
    /// start: a diverging run stops being calm long before it is certain to diverge. False until
    /// there is a smoothed loss.
    bool isCalm() const;

private:
    static constexpr size_t kRecent = 200;

    /// Statistics of a window of losses.
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
    double ceiling_ = 0;  ///< cap on the first losses and on noise
    Level begin_;
    double best_ = 0;
    int64_t bestStep_ = 0;
    std::deque<double> window_;
    std::deque<Level> recent_;  ///< one per step, the latest last
    Streak far_;
    Streak lost_;
};

/// A run's finite losses diverged.
class DivergedError : public StepError {
public:
    /// Names the parameter with the largest gradients of the latest step, and its consumer.
    DivergedError(const Divergence& divergence, TrainingSession& session);
    /// Names none.
    explicit DivergedError(const Divergence& divergence);

private:
    struct Suspect {
        std::string parameter;
        std::string node;
    };
    static Suspect suspectOf(TrainingSession& session);
    DivergedError(const Divergence& divergence, const Suspect& suspect);
};

}  // namespace temper
