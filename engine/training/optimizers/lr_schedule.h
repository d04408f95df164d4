// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/training/spec/choice.h"

namespace temper {

/// The learning rate of each optimizer step. Derive from it for a schedule of your own, or give a
/// function to CurveSchedule.
class LrSchedule {
public:
    LrSchedule() = default;
    LrSchedule(const LrSchedule&) = default;
    LrSchedule& operator=(const LrSchedule&) = default;
    virtual ~LrSchedule() = default;

    /// Rate of the optimizer step after `stepsDone` steps.
    virtual double rateAt(int64_t stepsDone) const = 0;

    /// Whether it has no effect without noteEvaluation().
    virtual bool needsEvaluations() const { return false; }
    /// Receives the loss of a regular evaluation.
    virtual void noteEvaluation(double /*loss*/) {}

    /// What it knows besides the steps done, for the checkpoint; may be empty.
    virtual std::string state() const { return {}; }
    /// Continues from a state(); one of another kind of schedule is ignored.
    /// Throws: Error(InvalidInput) if it is damaged.
    virtual void restore(const std::string& /*state*/) {}
};

/// The rate as a function of the steps done.
class CurveSchedule final : public LrSchedule {
public:
    explicit CurveSchedule(std::function<double(int64_t stepsDone)> rate)
        : rate_(std::move(rate)) {}

    double rateAt(int64_t stepsDone) const override { return rate_(stepsDone); }

private:
    std::function<double(int64_t)> rate_;
};

/// A schedule of scheduleChoices(): first its warm-up, if it has one, then its curve over the rest
/// of the steps. Throws: Error(InvalidInput) naming an unknown schedule or hyperparameter.
std::unique_ptr<LrSchedule> makeLrSchedule(const Selection& schedule, double initialRate,
                                           int64_t totalSteps);
/// Whether its rates depend on the number of all steps; those of plugins and programs do. Throws as
/// makeLrSchedule().
bool needsTotalSteps(const Selection& schedule);

/// The rate of a schedule of plugins or programs, given the steps done, all steps, the initial
/// rate, and the selection with its hyperparameters.
using LrCurve = std::function<double(int64_t stepsDone, int64_t totalSteps, double initialRate,
                                     const Selection& selection)>;

/// Adds a schedule after the others. Call it before schedules are used.
/// Throws: Error(InvalidInput) if the key is taken.
void addLrSchedule(Choice choice, LrCurve curve);

/// The learning-rate schedules; the first is the default.
const std::vector<Choice>& scheduleChoices();

}  // namespace temper
