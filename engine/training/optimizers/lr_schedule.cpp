// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizers/lr_schedule.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/training/optimizers/lr_curves.h"
#include "engine/training/optimizers/plateau_schedule.h"

namespace temper {
namespace {

using ValueKind = HyperParameter::Kind;

/// What a schedule is made from.
struct Settings {
    const Selection& selection;
    double initialRate = 0;
    int64_t totalSteps = 0;

    double value(const char* key) const { return selection.value(scheduleChoices(), key); }
    bool isOn(const char* key) const { return selection.isOn(scheduleChoices(), key); }
    int64_t warmupSteps() const { return static_cast<int64_t>(value("warmup_steps")); }
    double stepsAfterWarmup() const {
        return static_cast<double>(std::max<int64_t>(1, totalSteps - warmupSteps()));
    }
};

using SchedulePointer = std::unique_ptr<LrSchedule>;

/// What its rates depend on.
enum class Needs { StepsDone, AllSteps };

struct ScheduleEntry {
    Choice choice;
    std::function<SchedulePointer(const Settings&)> make;
    Needs needs = Needs::AllSteps;
};

/// The warm-up, then `curve` of the steps after it.
template <typename Curve>
SchedulePointer warmedUp(const Settings& settings, Curve curve) {
    return std::make_unique<CurveSchedule>(
        [curve, warmup = settings.warmupSteps(), initial = settings.initialRate](int64_t step) {
            if (step < warmup) return initial * linearLrFactor(step, warmup, warmup);
            return curve(step - warmup);
        });
}

/// A curve of the completed share, from 0 to 1, of the steps after the warm-up.
template <typename Curve>
SchedulePointer toTheEnd(const Settings& settings, Curve curve) {
    return warmedUp(settings, [curve, total = settings.stepsAfterWarmup()](int64_t step) {
        return curve(std::min(1.0, static_cast<double>(step) / total));
    });
}

SchedulePointer makeConstant(const Settings& s) {
    return warmedUp(s, [initial = s.initialRate](int64_t) { return initial; });
}

SchedulePointer makeLinear(const Settings& s) {
    return std::make_unique<CurveSchedule>(
        [initial = s.initialRate, warmup = s.warmupSteps(), total = s.totalSteps](int64_t step) {
            return initial * linearLrFactor(step, warmup, total);
        });
}

SchedulePointer makeCosine(const Settings& s) {
    return toTheEnd(s, [initial = s.initialRate, end = s.value("min_rate")](double done) {
        return cosineBetween(initial, end, done);
    });
}

SchedulePointer makeCosineRestarts(const Settings& s) {
    return warmedUp(
        s, [initial = s.initialRate, end = s.value("min_rate"), cycle = s.value("cycle_steps"),
            growth = s.value("cycle_growth")](int64_t step) {
            return cosineBetween(initial, end, restartProgress(step, cycle, growth));
        });
}

SchedulePointer makeStep(const Settings& s) {
    return warmedUp(s, [initial = s.initialRate, size = s.value("step_size"),
                        gamma = s.value("gamma")](int64_t step) {
        return initial * std::pow(gamma, std::floor(static_cast<double>(step) / size));
    });
}

SchedulePointer makeMultiStep(const Settings& s) {
    return warmedUp(s,
                    [initial = s.initialRate, gamma = s.value("gamma"),
                     milestones = s.selection.list(scheduleChoices(), "milestones")](int64_t step) {
                        return initial * multiStepFactor(step, milestones, gamma);
                    });
}

SchedulePointer makeExponential(const Settings& s) {
    return warmedUp(s, [initial = s.initialRate, decay = s.value("decay")](int64_t step) {
        return initial * std::pow(decay, static_cast<double>(step));
    });
}

SchedulePointer makePolynomial(const Settings& s) {
    return toTheEnd(
        s, [initial = s.initialRate, end = s.value("min_rate"), power = s.value("power")](
               double done) { return end + (initial - end) * std::pow(1.0 - done, power); });
}

SchedulePointer makeOneCycle(const Settings& s) {
    const OneCycle cycle{s.initialRate,
                         s.totalSteps,
                         s.value("rising_share"),
                         s.value("initial_divisor"),
                         s.value("final_divisor"),
                         s.isOn("straight"),
                         s.isOn("three_phases")};
    return std::make_unique<CurveSchedule>([cycle](int64_t step) { return cycle.rateAt(step); });
}

SchedulePointer makePlateau(const Settings& s) {
    const PlateauRule rule{s.value("factor"),
                           static_cast<int64_t>(s.value("patience")),
                           s.value("threshold"),
                           !s.isOn("absolute_threshold"),
                           static_cast<int64_t>(s.value("cooldown")),
                           s.value("min_rate")};
    return std::make_unique<PlateauSchedule>(rule, s.initialRate, s.warmupSteps());
}

// ---- descriptions ------------------------------------------------------------------------------

HyperParameter warmup() {
    return {"warmup_steps",
            "Warm-up",
            "steps",
            0,
            0,
            1e9,
            "The rate rises from zero over this many optimizer steps.",
            ValueKind::Number,
            "off"};
}

HyperParameter minimumRate() {
    return {"min_rate", "Lowest rate", "", 0, 0, 1e6, "The rate does not fall below it."};
}

HyperParameter rateFactor() {
    return {"gamma", "Factor", "", 0.1, 0, 1, "Factor for the rate at each drop."};
}

std::vector<HyperParameter> oneCycleParameters() {
    return {{"rising_share", "Rising share", "of the steps", 0.3, 0, 1,
             "The rate rises during this share of the steps."},
            {"initial_divisor", "First divisor", "", 25, 1, 1e9,
             "The first rate is the learning rate divided by it."},
            {"final_divisor", "Last divisor", "", 1e4, 1, 1e12,
             "The last rate is the first one divided by it."},
            {"straight", "Straight lines", "", 0, 0, 1,
             "The rate changes along straight lines instead of half cosines.", ValueKind::Switch},
            {"three_phases", "Three phases", "", 0, 0, 1,
             "The rate takes as long to fall to the first one as it took to rise, then falls to "
             "the last one.",
             ValueKind::Switch}};
}

std::vector<HyperParameter> plateauParameters() {
    return {warmup(),
            {"factor", "Factor", "", 0.1, 0, 1, "Factor for the rate at a drop."},
            {"patience", "Patience", "evaluations", 10, 0, 1e9,
             "Evaluations without improvement before the rate drops."},
            {"threshold", "Threshold", "", 1e-4, 0, 1e6,
             "Smallest improvement of the loss that counts, as a share of the best loss."},
            {"absolute_threshold", "Absolute threshold", "", 0, 0, 1,
             "The threshold is a loss, not a share of it.", ValueKind::Switch},
            {"cooldown", "Cooldown", "evaluations", 0, 0, 1e9,
             "Evaluations after a drop that do not count.", ValueKind::Number, "off"},
            minimumRate()};
}

std::vector<ScheduleEntry>& scheduleEntries() {
    static std::vector<ScheduleEntry> all = {
        {{"constant", "Constant", "The same rate in every step.", {warmup()}},
         makeConstant,
         Needs::StepsDone},
        {{"linear",
          "Linear",
          "Falls in a straight line to zero at the last step, as in ONNX Runtime.",
          {warmup()}},
         makeLinear},
        {{"cosine",
          "Cosine",
          "Falls along half a cosine to the lowest rate at the last step.",
          {warmup(), minimumRate()}},
         makeCosine},
        {{"cosine-restarts",
          "Cosine with restarts",
          "Falls along half a cosine, again and again from the full rate.",
          {warmup(),
           {"cycle_steps", "First cycle", "steps", 1000, 1, 1e9,
            "Optimizer steps until the first restart."},
           {"cycle_growth", "Growth", "", 1, 1, 1e3,
            "Each cycle is this many times as long as the one before it."},
           minimumRate()}},
         makeCosineRestarts,
         Needs::StepsDone},
        {{"step",
          "Step",
          "Drops by a factor at regular intervals.",
          {warmup(),
           {"step_size", "Interval", "steps", 1000, 1, 1e9, "Optimizer steps between two drops."},
           rateFactor()}},
         makeStep,
         Needs::StepsDone},
        {{"multi-step",
          "Multi-step",
          "Drops by a factor at the steps of a list.",
          {warmup(),
           {"milestones", "Milestones", "steps", 0, 0, 1e9,
            "Optimizer steps after the warm-up at which the rate drops.", ValueKind::List},
           rateFactor()}},
         makeMultiStep,
         Needs::StepsDone},
        {{"exponential",
          "Exponential",
          "Falls by a factor in every step.",
          {warmup(), {"decay", "Factor", "", 0.999, 0, 1, "Factor for the rate in every step."}}},
         makeExponential,
         Needs::StepsDone},
        {{"polynomial",
          "Polynomial",
          "Falls along a power of the remaining steps to the lowest rate at the last step.",
          {warmup(),
           {"power", "Power", "", 1, 0, 100, "1 is a straight line, 2 a parabola."},
           minimumRate()}},
         makePolynomial},
        {{"one-cycle", "One cycle",
          "Rises from a small rate to the full one and falls to almost nothing at the last step.",
          oneCycleParameters()},
         makeOneCycle},
        {{"plateau", "Reduce on plateau",
          "Drops by a factor when the evaluation loss stops improving.", plateauParameters()},
         makePlateau,
         Needs::StepsDone},
    };
    return all;
}

std::vector<Choice>& choicesOfEntries() {
    static std::vector<Choice> choices = [] {
        std::vector<Choice> all;
        for (const ScheduleEntry& entry : scheduleEntries()) all.push_back(entry.choice);
        return all;
    }();
    return choices;
}

/// Null if there is none of that key.
const ScheduleEntry* findEntry(const std::string& key) {
    const auto& all = scheduleEntries();
    const auto found = std::ranges::find(
        all, key,
        [](const ScheduleEntry& entry) -> const std::string& { return entry.choice.key; });
    return found == all.end() ? nullptr : &*found;
}

const ScheduleEntry& scheduleEntryOf(const Selection& schedule) {
    requireValid(schedule, scheduleChoices());
    return *findEntry(schedule.key);
}

}  // namespace

const std::vector<Choice>& scheduleChoices() { return choicesOfEntries(); }

void addLrSchedule(Choice choice, LrCurve curve) {
    if (findEntry(choice.key) != nullptr)
        throw Error(ErrorCode::InvalidInput, "Schedule '" + choice.key + "' already exists.");
    choicesOfEntries().push_back(choice);
    scheduleEntries().push_back(
        {std::move(choice), [curve = std::move(curve)](const Settings& s) -> SchedulePointer {
             return std::make_unique<CurveSchedule>(
                 [curve, selection = s.selection, initial = s.initialRate, total = s.totalSteps](
                     int64_t step) { return curve(step, total, initial, selection); });
         }});
}

SchedulePointer makeLrSchedule(const Selection& schedule, double initialRate, int64_t totalSteps) {
    return scheduleEntryOf(schedule).make({schedule, initialRate, totalSteps});
}

bool needsTotalSteps(const Selection& schedule) {
    return scheduleEntryOf(schedule).needs == Needs::AllSteps;
}

}  // namespace temper
