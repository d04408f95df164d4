// SPDX-License-Identifier: Apache-2.0
#include "app/cli/choice_options.h"

#include <algorithm>

#include "app/cli/cli_context.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"

namespace temper::cli {
namespace {

const HyperParameter* find(const Choice& choice, const std::string& key) {
    const auto found = std::ranges::find(choice.hyperParameters, key, &HyperParameter::key);
    return found == choice.hyperParameters.end() ? nullptr : &*found;
}

}  // namespace

std::string flagOf(const std::string& key) {
    std::string flag = "--" + key;
    std::ranges::replace(flag, '_', '-');
    return flag;
}

void ChoiceOptions::addTo(CLI::App& command, const std::string& help) {
    keyOption_ =
        command.add_option(flag_, key_, help + ": " + joinedBy("|", choices_, &Choice::key))
            ->capture_default_str();
    for (const Choice& choice : choices_) {
        for (const HyperParameter& parameter : choice.hyperParameters) {
            addHyperParameter(command, parameter);
        }
    }
}

/// Several choices may share it: one flag serves all.
void ChoiceOptions::addHyperParameter(CLI::App& command, const HyperParameter& parameter) {
    const std::string flag = flagOf(parameter.key);
    if (command.get_option_no_throw(flag) != nullptr) return;
    switch (parameter.kind) {
        case HyperParameter::Kind::Number:
            command.add_option(flag, values_[parameter.key],
                               parameter.help + " [" + formatNumber(parameter.defaultValue) + "]");
            break;
        case HyperParameter::Kind::Switch:
            // a plain flag would also set its value if it is not given
            command.add_flag_callback(
                flag, [&value = values_[parameter.key]] { value = 1; }, parameter.help);
            break;
        case HyperParameter::Kind::List:
            command.add_option(flag, lists_[parameter.key], parameter.help)->delimiter(',');
            break;
    }
}

void ChoiceOptions::check(const Choice& choice, const std::string& key, double value) const {
    const HyperParameter* parameter = find(choice, key);
    if (parameter == nullptr) {
        throw Error(ErrorCode::InvalidInput,
                    flagOf(key) + " does not apply to " + flag_ + " " + choice.key + ".",
                    "See --help for where it applies.");
    }
    if (value >= parameter->minimum && value <= parameter->maximum) return;
    throw Error(ErrorCode::InvalidInput, flagOf(key) + " is " + formatNumber(value) +
                                             "; expected " + formatNumber(parameter->minimum) +
                                             " to " + formatNumber(parameter->maximum) + ".");
}

void ChoiceOptions::check(const Choice& choice) const {
    for (const auto& [key, value] : values_) {
        if (value) check(choice, key, *value);
    }
    for (const auto& [key, list] : lists_) {
        for (const double value : list) check(choice, key, value);
    }
}

bool ChoiceOptions::isGiven() const {
    const auto isSet = [](const auto& entry) { return entry.second.has_value(); };
    const auto isFilled = [](const auto& entry) { return !entry.second.empty(); };
    return (keyOption_ != nullptr && keyOption_->count() > 0) ||
           std::ranges::any_of(values_, isSet) || std::ranges::any_of(lists_, isFilled);
}

Selection ChoiceOptions::selection() const {
    const auto chosen = std::ranges::find(choices_, key_, &Choice::key);
    if (chosen != choices_.end()) check(*chosen);
    Selection selection{key_, {}};
    for (const auto& [key, value] : values_) {
        if (value) selection.values[key] = *value;
    }
    for (const auto& [key, list] : lists_) {
        if (!list.empty()) selection.lists[key] = list;
    }
    return selection;
}

}  // namespace temper::cli
