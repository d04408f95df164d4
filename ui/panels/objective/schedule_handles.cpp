// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/schedule_handles.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/spec/training_spec.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/number_text.h"
#include "ui/translation/tr.h"
#include "ui/widgets/hyper_form.h"

namespace temper::ui {
namespace {

/// The rate of a run, in the range of its field.
constexpr double kLargestRate = 1e3;

const HyperParameter* parameterOf(const Selection& selection, const std::string& key) {
    const Choice* choice = findChoice(scheduleChoices(), selection.key);
    if (choice == nullptr) return nullptr;
    const auto found = std::ranges::find(choice->hyperParameters, key, &HyperParameter::key);
    return found == choice->hyperParameters.end() ? nullptr : &*found;
}

/// A schedule with its numbers, which handles show and set.
class Schedule {
public:
    Schedule(RunSpec& run, int64_t steps) : run_(run), steps_(static_cast<double>(steps)) {}

    bool has(const char* key) const { return parameterOf(run_.schedule, key) != nullptr; }
    double value(const std::string& key) const {
        return run_.schedule.value(scheduleChoices(), key);
    }
    std::vector<double> milestones() const {
        auto list = run_.schedule.list(scheduleChoices(), "milestones");
        std::ranges::sort(list);
        return list;
    }
    double warmup() const { return has("warmup_steps") ? value("warmup_steps") : 0; }
    double rate() const { return run_.learningRate; }
    double steps() const { return steps_; }
    /// The step of the handle for the factor of a schedule without falls: the middle of its curve.
    double middle() const { return std::max(1.0, std::floor((steps_ - warmup()) / 2)); }

    void set(const std::string& key, double value) {
        const HyperParameter& parameter = *parameterOf(run_.schedule, key);
        run_.schedule.values[key] = std::clamp(value, parameter.minimum, parameter.maximum);
    }
    /// Keeps the milestone between its neighbours.
    void setMilestone(size_t item, double step) {
        std::vector<double> list = milestones();
        const double least = item > 0 ? list[item - 1] + 1 : 1;
        const double most = item + 1 < list.size() ? list[item + 1] - 1 : steps_ - warmup() - 1;
        list[item] = std::max(least, std::min(step, most));
        run_.schedule.lists["milestones"] = list;
    }
    void setRate(double rate) { run_.learningRate = std::clamp(rate, 0.0, kLargestRate); }

private:
    RunSpec& run_;
    double steps_;
};

double threeDigits(double value) { return QString::number(value, 'g', 3).toDouble(); }

void setStep(Schedule& schedule, const ScheduleHandle& handle, double step) {
    const double last = schedule.steps() - 1;
    const double afterWarmUp = std::round(std::clamp(step, 0.0, last) - schedule.warmup());
    if (handle.stepKey == "warmup_steps")
        schedule.set("warmup_steps", std::round(std::clamp(step, 0.0, last)));
    else if (handle.stepKey == "rising_share")
        schedule.set("rising_share",
                     threeDigits(std::clamp((step + 1) / schedule.steps(), 0.0, 1.0)));
    else if (handle.stepKey == "milestones")
        schedule.setMilestone(handle.item, afterWarmUp);
    else if (!handle.stepKey.empty())
        schedule.set(handle.stepKey, afterWarmUp);
}

void setHeight(Schedule& schedule, const ScheduleHandle& handle, double rate) {
    const double height = threeDigits(std::max(rate, 0.0));
    const double factor = schedule.rate() > 0 ? height / schedule.rate() : 0;
    constexpr double kMin = std::numeric_limits<double>::min();
    if (handle.rateKey == kRateOfRun)
        schedule.setRate(height);
    else if (handle.rateKey == "gamma")
        schedule.set("gamma",
                     threeDigits(std::pow(factor, 1 / static_cast<double>(handle.item + 1))));
    else if (handle.rateKey == "decay")  // a factor per step needs more digits
        schedule.set("decay",
                     QString::number(std::pow(factor, 1 / schedule.middle()), 'f', 6).toDouble());
    else if (handle.rateKey == "initial_divisor")
        schedule.set("initial_divisor", threeDigits(schedule.rate() / std::max(height, kMin)));
    else if (handle.rateKey == "min_rate")
        schedule.set("min_rate", std::min(height, schedule.rate()));
}

/// For a schedule that falls at steps: each fall within the run.
void addFalls(std::vector<ScheduleHandle>& handles, const Schedule& schedule) {
    const double gamma = schedule.value("gamma");
    const auto add = [&](const char* key, size_t item, double step) {
        const double rate = schedule.rate() * std::pow(gamma, static_cast<double>(item + 1));
        handles.push_back({key, "gamma", item, schedule.warmup() + step, rate});
    };
    if (schedule.has("step_size")) add("step_size", 0, schedule.value("step_size"));
    if (!schedule.has("milestones")) return;
    const std::vector<double> milestones = schedule.milestones();
    for (size_t i = 0; i < milestones.size(); ++i) add("milestones", i, milestones[i]);
}

}  // namespace

std::vector<ScheduleHandle> scheduleHandles(const RunSpec& run, int64_t steps) {
    requireValid(run.schedule, scheduleChoices());
    RunSpec copy = run;
    const Schedule schedule(copy, steps);
    const double last = schedule.steps() - 1;
    std::vector<ScheduleHandle> handles;
    if (schedule.has("rising_share"))
        handles.push_back({"rising_share", kRateOfRun, 0,
                           schedule.value("rising_share") * schedule.steps() - 1,
                           run.learningRate});
    else
        handles.push_back({schedule.has("warmup_steps") ? "warmup_steps" : "", kRateOfRun, 0,
                           schedule.warmup(), run.learningRate});
    if (schedule.has("initial_divisor"))
        handles.push_back(
            {"", "initial_divisor", 0, 0, run.learningRate / schedule.value("initial_divisor")});
    if (schedule.has("gamma")) addFalls(handles, schedule);
    if (schedule.has("decay"))
        handles.push_back(
            {"", "decay", 0, schedule.warmup() + schedule.middle(),
             run.learningRate * std::pow(schedule.value("decay"), schedule.middle())});
    if (schedule.has("cycle_steps") && schedule.has("min_rate"))
        handles.push_back({"cycle_steps", "min_rate", 0,
                           schedule.warmup() + schedule.value("cycle_steps"),
                           schedule.value("min_rate")});
    else if (schedule.has("min_rate") && !schedule.has("patience"))  // else evaluations decide
        handles.push_back({"", "min_rate", 0, last, schedule.value("min_rate")});
    std::erase_if(handles, [last](const ScheduleHandle& handle) { return handle.step > last; });
    return handles;
}

RunSpec dragged(RunSpec run, const ScheduleHandle& handle, int64_t steps,
                std::optional<double> step, std::optional<double> rate) {
    Schedule schedule(run, steps);
    if (step && !handle.stepKey.empty()) setStep(schedule, handle, *step);
    if (rate && !handle.rateKey.empty()) setHeight(schedule, handle, *rate);
    return run;
}

QString handleText(const RunSpec& run, const ScheduleHandle& handle) {
    QStringList parts;
    for (const std::string& key : {handle.stepKey, handle.rateKey}) {
        if (key.empty()) continue;
        if (key == kRateOfRun) {
            parts << tr("Learning rate") + ' ' + decimalText(run.learningRate, 'g', 3);
            continue;
        }
        const HyperParameter& parameter = *parameterOf(run.schedule, key);
        double value = 0;
        if (parameter.kind == HyperParameter::Kind::List) {
            auto list = run.schedule.list(scheduleChoices(), key);
            std::ranges::sort(list);
            value = list.at(handle.item);
        } else {
            value = run.schedule.value(scheduleChoices(), key);
        }
        parts << engineText(parameter.label) + ' ' + decimalText(value, 'g', 6);
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace temper::ui
