// SPDX-License-Identifier: Apache-2.0
#include "engine/training/spec/choice.h"

#include <algorithm>
#include <cstdio>

#include "engine/core/closest_word.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"

namespace temper {
namespace {

const Choice& choiceOf(const std::vector<Choice>& choices, const std::string& key) {
    const auto choice = std::ranges::find(choices, key, &Choice::key);
    if (choice != choices.end()) return *choice;
    std::vector<std::string> keys;
    for (const Choice& known : choices) keys.push_back(known.key);
    throw Error(ErrorCode::InvalidInput, "'" + key + "' is unknown.",
                didYouMean(key, keys) + "Choose one of: " + joined(keys) + ".");
}

const HyperParameter& describe(const std::vector<Choice>& choices, const std::string& key,
                               const std::string& hyperParameter) {
    const auto& known = choiceOf(choices, key).hyperParameters;
    const auto found = std::ranges::find(known, hyperParameter, &HyperParameter::key);
    if (found != known.end()) return *found;
    throw Error(ErrorCode::InvalidInput,
                "'" + key + "' has no hyperparameter '" + hyperParameter + "'.");
}

std::string numberText(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

void requireInRange(const std::string& key, const HyperParameter& parameter, double value) {
    if (value >= parameter.minimum && value <= parameter.maximum) return;
    throw Error(ErrorCode::InvalidInput,
                "'" + parameter.key + "' of '" + key + "' is " + numberText(value) + "; expected " +
                    numberText(parameter.minimum) + " to " + numberText(parameter.maximum) + ".");
}

}  // namespace

std::string kindName(HyperParameter::Kind kind) {
    switch (kind) {
        case HyperParameter::Kind::Number: return "number";
        case HyperParameter::Kind::Switch: return "switch";
        case HyperParameter::Kind::List: return "list";
    }
    return "number";
}

std::string selectionText(const Selection& selection) {
    std::vector<std::string> numbers;
    for (const auto& [key, value] : selection.values)
        numbers.push_back(key + "=" + numberText(value));
    for (const auto& [key, list] : selection.lists)
        numbers.push_back(key + "=" + joinedBy(",", list, numberText));
    return numbers.empty() ? selection.key : selection.key + " (" + joined(numbers) + ")";
}

void requireValid(const Selection& selection, const std::vector<Choice>& choices) {
    choiceOf(choices, selection.key);
    for (const auto& [key, value] : selection.values) {
        requireInRange(selection.key, describe(choices, selection.key, key), value);
    }
    for (const auto& [key, list] : selection.lists) {
        const HyperParameter& parameter = describe(choices, selection.key, key);
        for (const double value : list) requireInRange(selection.key, parameter, value);
    }
}

double Selection::value(const std::vector<Choice>& choices,
                        const std::string& hyperParameter) const {
    const auto set = values.find(hyperParameter);
    if (set != values.end()) return set->second;
    return describe(choices, key, hyperParameter).defaultValue;
}

std::vector<double> Selection::list(const std::vector<Choice>& choices,
                                    const std::string& hyperParameter) const {
    const auto set = lists.find(hyperParameter);
    if (set != lists.end()) return set->second;
    describe(choices, key, hyperParameter);
    return {};
}

}  // namespace temper
