// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/sweep.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <type_traits>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/spec/run_settings.h"

namespace temper {
namespace {

constexpr size_t kMaxValues = 1000;
/// Ends of a range that differ by this factor are far apart: the steps between are factors.
constexpr double kFarApart = 10;

/// A choice by its name, with hyperparameters of its own.
struct Chosen {
    const char* key;
    const char* label;
    const std::vector<Choice>& (*choices)();
    Selection& (*in)(TrainingSpec&);
};

constexpr Chosen kChosen[] = {
    {"loss", "Loss", lossChoices,
     [](TrainingSpec& spec) -> Selection& { return spec.artifacts.loss; }},
    {"optimizer", "Optimizer", optimizerChoices,
     [](TrainingSpec& spec) -> Selection& { return spec.artifacts.optimizer; }},
    {"schedule", "Schedule", scheduleChoices,
     [](TrainingSpec& spec) -> Selection& { return spec.run.schedule; }},
};

const Choice* choiceOf(const Chosen& chosen, const std::string& key) {
    const std::vector<Choice>& all = chosen.choices();
    const auto found = std::ranges::find(all, key, &Choice::key);
    return found == all.end() ? nullptr : &*found;
}

std::string numberText(double number) {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// The whole text as a finite number.
std::optional<double> numberOf(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isWhole = error == std::errc() && end == text.data() + text.size();
    return isWhole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

[[noreturn]] void refuse(const std::string& label, const std::string& value,
                         const std::string& expected) {
    throw Error(ErrorCode::InvalidInput,
                "'" + label + "' can't be '" + value + "'; expected " + expected + ".",
                "Change the values that the runs are to have.");
}

/// A number that a run may have; switches, too.
bool canVary(const Setting<RunSpec>& setting, const RunSpec& run) {
    if (setting.place == SettingInfo::Place::None) return false;
    if (setting.affects == SettingInfo::Affects::Nothing || isReplaced(setting, run)) return false;
    return std::visit(
        [](const auto* value) {
            using T = std::remove_cvref_t<decltype(*value)>;
            return std::is_arithmetic_v<T> || std::is_same_v<T, Precision>;
        },
        valueIn(setting, run));
}

const Setting<RunSpec>* runSetting(const TrainingSpec& spec, const std::string& key) {
    const auto& all = runSettings();
    const auto found = std::ranges::find(all, key, &Setting<RunSpec>::key);
    return found != all.end() && canVary(*found, spec.run) ? &*found : nullptr;
}

SweepSetting describe(const Setting<RunSpec>& setting, const RunSpec& run) {
    SweepSetting described{setting.key, setting.label, setting.help};
    std::visit(
        [&described](const auto* value) {
            using T = std::remove_cvref_t<decltype(*value)>;
            if constexpr (std::is_same_v<T, bool>) {
                described.words = {"on", "off"};
            } else if constexpr (std::is_same_v<T, Precision>) {
                described.words = {precisionName(Precision::Float32),
                                   precisionName(Precision::BFloat16)};
            } else {
                described.isWhole = std::is_integral_v<T>;
            }
        },
        valueIn(setting, run));
    return described;
}

void addChosen(const Chosen& chosen, const TrainingSpec& spec,
               std::vector<SweepSetting>& settings) {
    const Selection& selection = chosen.in(const_cast<TrainingSpec&>(spec));  // read only
    const Choice* now = choiceOf(chosen, selection.key);
    if (now == nullptr) return;  // a formula
    SweepSetting which{chosen.key, chosen.label, {}};
    for (const Choice& choice : chosen.choices()) which.words.push_back(choice.key);
    settings.push_back(std::move(which));
    for (const HyperParameter& parameter : now->hyperParameters) {
        if (parameter.kind == HyperParameter::Kind::List) continue;
        SweepSetting setting{std::string(chosen.key) + "." + parameter.key, parameter.label,
                             parameter.help, now->label};
        if (parameter.kind == HyperParameter::Kind::Switch) setting.words = {"on", "off"};
        settings.push_back(std::move(setting));
    }
}

/// Where "optimizer.weight_decay" belongs.
struct ChosenParameter {
    const Chosen* chosen = nullptr;
    const HyperParameter* parameter = nullptr;
};

ChosenParameter chosenParameter(const TrainingSpec& spec, const std::string& key) {
    const size_t dot = key.find('.');
    for (const Chosen& chosen : kChosen) {
        if (key.substr(0, dot) != chosen.key) continue;
        if (dot == std::string::npos) return {&chosen, nullptr};
        const Choice* now = choiceOf(chosen, chosen.in(const_cast<TrainingSpec&>(spec)).key);
        if (now == nullptr) continue;
        const auto found =
            std::ranges::find(now->hyperParameters, key.substr(dot + 1), &HyperParameter::key);
        if (found != now->hyperParameters.end()) return {&chosen, &*found};
    }
    return {};
}

[[noreturn]] void refuseKey(const TrainingSpec& spec, const std::string& key) {
    std::vector<std::string> keys;
    for (const SweepSetting& setting : sweepSettings(spec)) keys.push_back(setting.key);
    throw Error(ErrorCode::NotFound, "No setting '" + key + "' can be varied.",
                "These choices have: " + joined(keys) + ".");
}

bool switchOf(const std::string& label, const std::string& value) {
    if (value == "on" || value == "1" || value == "true") return true;
    if (value == "off" || value == "0" || value == "false") return false;
    refuse(label, value, "on or off");
}

void setChosen(TrainingSpec& spec, const ChosenParameter& what, const std::string& value) {
    const Chosen& chosen = *what.chosen;
    Selection& selection = chosen.in(spec);
    if (what.parameter == nullptr) {
        if (choiceOf(chosen, value) == nullptr) {
            std::vector<std::string> keys;
            for (const Choice& choice : chosen.choices()) keys.push_back(choice.key);
            refuse(chosen.label, value, "one of " + joined(keys));
        }
        if (selection.key != value) selection = {value, {}};
        return;
    }
    const HyperParameter& parameter = *what.parameter;
    const auto set = [&](double number) {
        selection.values.erase(parameter.key);
        if (number != parameter.defaultValue) selection.values[parameter.key] = number;
    };
    if (parameter.kind == HyperParameter::Kind::Switch)
        return set(switchOf(parameter.label, value) ? 1 : 0);
    const std::optional<double> number = numberOf(value);
    if (!number || *number < parameter.minimum || *number > parameter.maximum) {
        refuse(parameter.label, value,
               "a number from " + numberText(parameter.minimum) + " to " +
                   numberText(parameter.maximum));
    }
    set(*number);
}

void setRun(TrainingSpec& spec, const Setting<RunSpec>& setting, const std::string& value) {
    std::visit(
        [&](auto* each) {
            using T = std::remove_cvref_t<decltype(*each)>;
            if constexpr (std::is_same_v<T, bool>) {
                *each = switchOf(setting.label, value);
            } else if constexpr (std::is_same_v<T, Precision>) {
                for (const Precision precision : {Precision::Float32, Precision::BFloat16}) {
                    if (value == precisionName(precision)) {
                        *each = precision;
                        return;
                    }
                }
                refuse(setting.label, value, "fp32 or bf16");
            } else if constexpr (std::is_arithmetic_v<T>) {
                const std::optional<double> number = numberOf(value);
                const bool fits =
                    number &&
                    (!std::is_integral_v<T> ||
                     (*number == std::floor(*number) && std::abs(*number) < 9e15 && *number >= 0));
                if (!fits) refuse(setting.label, value, "a number");
                *each = static_cast<T>(*number);
            }
        },
        setting.value(spec.run));
    requireInRange(spec.run);
}

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

/// With as many digits as tell values of a range apart and a person can read.
std::string shortNumber(double value, bool isWhole) {
    if (isWhole) return numberText(std::round(value));
    char text[40];
    std::snprintf(text, sizeof text, "%.3g", value);
    return numberText(*numberOf(text));
}

/// The values of "FROM..TO:COUNT"; absent if the text has another form.
std::optional<std::vector<std::string>> valuesOfRange(const SweepSetting& setting,
                                                      std::string_view text) {
    const size_t dots = text.find("..");
    const size_t colon = text.rfind(':');
    if (dots == std::string_view::npos || colon == std::string_view::npos || colon < dots)
        return std::nullopt;
    const auto from = numberOf(trimmed(text.substr(0, dots)));
    const auto to = numberOf(trimmed(text.substr(dots + 2, colon - dots - 2)));
    const auto count = numberOf(trimmed(text.substr(colon + 1)));
    if (!from || !to || !count || *count < 2 || *count != std::floor(*count)) return std::nullopt;
    if (*count > kMaxValues)
        refuse(setting.label, std::string(text),
               "at most " + std::to_string(kMaxValues) + " values");
    const bool areFactors = *from > 0 && *to > 0 && std::max(*from / *to, *to / *from) >= kFarApart;
    std::vector<std::string> values;
    for (int i = 0; i < static_cast<int>(*count); ++i) {
        const double share = i / (*count - 1);
        const double value =
            areFactors ? *from * std::pow(*to / *from, share) : *from + (*to - *from) * share;
        const bool isEnd = i == 0 || i + 1 == static_cast<int>(*count);
        values.push_back(isEnd && !setting.isWhole ? numberText(i == 0 ? *from : *to)
                                                   : shortNumber(value, setting.isWhole));
    }
    return values;
}

std::vector<std::string> valuesOfPart(const SweepSetting& setting, std::string_view part) {
    const std::string text(part);
    if (!setting.words.empty()) {
        if (std::ranges::find(setting.words, text) != setting.words.end()) return {text};
        refuse(setting.label, text, "one of " + joined(setting.words));
    }
    if (const auto number = numberOf(part)) return {numberText(*number)};
    if (auto range = valuesOfRange(setting, part)) return *range;
    refuse(setting.label, text, "a number, or a range such as 0.001..0.1:5");
}

}  // namespace

std::vector<SweepSetting> sweepSettings(const TrainingSpec& spec) {
    std::vector<SweepSetting> settings;
    for (const Setting<RunSpec>& setting : runSettings()) {
        if (canVary(setting, spec.run)) settings.push_back(describe(setting, spec.run));
    }
    for (const Chosen& chosen : kChosen) addChosen(chosen, spec, settings);
    return settings;
}

std::string settingValue(const TrainingSpec& spec, const std::string& key) {
    if (const Setting<RunSpec>* setting = runSetting(spec, key))
        return settingText(*setting, spec.run);
    const ChosenParameter found = chosenParameter(spec, key);
    if (found.chosen == nullptr) refuseKey(spec, key);
    const Selection& selection = found.chosen->in(const_cast<TrainingSpec&>(spec));
    if (found.parameter == nullptr) return selection.key;
    const double value = selection.value(found.chosen->choices(), found.parameter->key);
    if (found.parameter->kind == HyperParameter::Kind::Switch) return value != 0 ? "on" : "off";
    return numberText(value);
}

TrainingSpec withSetting(const TrainingSpec& spec, const std::string& key,
                         const std::string& value) {
    TrainingSpec changed = spec;
    if (const Setting<RunSpec>* setting = runSetting(spec, key)) {
        setRun(changed, *setting, value);
        return changed;
    }
    const ChosenParameter found = chosenParameter(spec, key);
    if (found.chosen == nullptr) refuseKey(spec, key);
    setChosen(changed, found, value);
    return changed;
}

std::vector<std::string> sweepValues(const SweepSetting& setting, std::string_view text) {
    std::vector<std::string> values;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        const std::string_view part = trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (part.empty()) continue;
        for (std::string& value : valuesOfPart(setting, part)) {
            if (std::ranges::find(values, value) == values.end())
                values.push_back(std::move(value));
        }
        if (values.size() <= kMaxValues) continue;
        throw Error(
            ErrorCode::InvalidInput,
            "More than " + std::to_string(kMaxValues) + " values of '" + setting.label + "'.",
            "Give fewer values.");
    }
    return values;
}

}  // namespace temper
