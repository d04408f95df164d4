// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <type_traits>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/training/spec/run_settings.h"

namespace temper {
namespace {

/// In SettingValue's order.
constexpr std::array kKinds = {"bool", "int",  "int",   "int",   "float",
                               "text", "text", "names", "pairs", "choice"};
static_assert(kKinds.size() == std::variant_size_v<SettingValue>);

/// The shortest text that gives the same number.
template <typename T>
std::string numberText(T value) {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string rangeText(const SettingInfo& setting) {
    const std::string least = numberText(setting.minimum);
    if (setting.maximum == std::numeric_limits<double>::infinity()) return least + " or more";
    return least + (setting.endIsOpen ? " to below " : " to ") + numberText(setting.maximum);
}

/// False for NaN.
bool isInRange(const SettingInfo& setting, double value) {
    return value >= setting.minimum &&
           (setting.endIsOpen ? value < setting.maximum : value <= setting.maximum);
}

/// The value, if it is a number.
std::optional<double> numberOf(const SettingValue& value) {
    return std::visit(
        [](const auto* each) -> std::optional<double> {
            using T = std::remove_cvref_t<decltype(*each)>;
            if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
                return static_cast<double>(*each);
            } else {
                return std::nullopt;
            }
        },
        value);
}

/// Whether the setting of this key differs from its default; false for no key.
bool isChosen(const std::string& key, const RunSpec& run) {
    const auto found = std::ranges::find(runSettings(), key, &Setting<RunSpec>::key);
    return found != runSettings().end() && !isDefault(*found, run);
}

std::string textOf(bool on) { return on ? "on" : "off"; }
template <typename T>
requires std::is_arithmetic_v<T> std::string textOf(T number) { return numberText(number); }
std::string textOf(Precision precision) { return precisionName(precision); }
std::string textOf(const std::string& text) { return text; }
std::string textOf(const std::vector<std::string>& names) { return joinedBy(",", names); }
std::string textOf(const std::map<std::string, std::string>& pairs) {
    return joinedBy(",", pairs, [](const auto& pair) { return pair.first + "=" + pair.second; });
}
std::string textOf(const Selection& selection) { return selectionText(selection); }

}  // namespace

SettingValue valueIn(const Setting<RunSpec>& setting, const RunSpec& run) {
    return setting.value(const_cast<RunSpec&>(run));  // only read
}

std::string kindName(const SettingValue& value) { return kKinds.at(value.index()); }

std::string settingText(const SettingValue& value) {
    return std::visit([](const auto* each) { return textOf(*each); }, value);
}

std::string settingText(const Setting<RunSpec>& setting, const RunSpec& run) {
    return settingText(valueIn(setting, run));
}

bool isDefault(const Setting<RunSpec>& setting, const RunSpec& run) {
    const RunSpec standard;
    const SettingValue expected = valueIn(setting, standard);
    return std::visit(
        [&expected](const auto* each) {
            return *each == *std::get<std::remove_cvref_t<decltype(*each)>*>(expected);
        },
        valueIn(setting, run));
}

void setDefault(const Setting<RunSpec>& setting, RunSpec& run) {
    RunSpec standard;
    const SettingValue expected = setting.value(standard);
    std::visit(
        [&expected](auto* each) {
            *each = *std::get<std::remove_cvref_t<decltype(*each)>*>(expected);
        },
        setting.value(run));
}

bool isReplaced(const Setting<RunSpec>& setting, const RunSpec& run) {
    return isChosen(setting.replacedBy, run);
}

bool lacksWhatItNeeds(const Setting<RunSpec>& setting, const RunSpec& run) {
    return !setting.needs.empty() && !isChosen(setting.needs, run);
}

void requireInRange(const RunSpec& run) {
    for (const Setting<RunSpec>& setting : runSettings()) {
        const SettingValue value = valueIn(setting, run);
        const std::optional<double> number = numberOf(value);
        if (!number || isReplaced(setting, run) || isInRange(setting, *number)) continue;
        throw Error(
            ErrorCode::InvalidInput,
            "'" + setting.label + "' is " + settingText(value) +
                (setting.unit.empty() ? "" : " " + setting.unit) + "; expected " +
                rangeText(setting) + ".",
            "Change '" + setting.key + "'" +
                (setting.flag.empty() ? "." : ", or on the command line " + setting.flag + "."));
    }
}

}  // namespace temper
