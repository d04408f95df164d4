// SPDX-License-Identifier: Apache-2.0
#include "app/cli/setting_options.h"

#include <cmath>
#include <type_traits>

#include "engine/core/joined.h"
#include "engine/core/lower_case.h"

namespace temper::cli {
namespace {

CLI::Validator rangeOf(const SettingInfo& setting) {
    if (std::isfinite(setting.maximum)) {
        return setting.endIsOpen ? below(setting.minimum, setting.maximum)
                                 : between(setting.minimum, setting.maximum);
    }
    return setting.minimum > 0 ? positive() : notNegative();
}

/// "Time limit (s): the run ends ..."
std::string helpOf(const SettingInfo& setting) {
    const std::string unit = setting.unit.empty() ? "" : " (" + setting.unit + ")";
    const bool isTypeOfNames = setting.names != nullptr && !setting.typeName.empty();
    const std::string names = isTypeOfNames ? " Names: " + joined(setting.names()) : "";
    return setting.label + unit + ": " + withSmallFirst(setting.help) + names;
}

/// "DIR", "fp32|bf16".
std::string typeOf(const SettingInfo& setting) {
    if (setting.names == nullptr || !setting.typeName.empty()) return setting.typeName;
    return joinedBy("|", setting.names());
}

/// The help text already says what the default is, if there is one.
CLI::Option* withType(CLI::Option* option, const SettingInfo& setting) {
    const std::string type = typeOf(setting);
    if (!type.empty()) option->type_name(type);
    return option;
}

void add(CLI::App& command, const SettingInfo& setting, bool& value) {
    if (value) {
        command.add_flag("!" + setting.flag, value,
                         "Turn off: " + withSmallFirst(setting.label) + ". " + setting.help);
    } else {
        command.add_flag(setting.flag, value, helpOf(setting));
    }
}

template <typename T>
requires std::is_arithmetic_v<T>
void add(CLI::App& command, const SettingInfo& setting, T& value) {
    auto* option = command.add_option(setting.flag, value, helpOf(setting))->capture_default_str();
    option->check(std::is_unsigned_v<T> ? unsignedNumber() : rangeOf(setting));
}

void add(CLI::App& command, const SettingInfo& setting, Precision& value) {
    withType(
        command
            .add_option_function<std::string>(
                setting.flag, [&value](const std::string& name) { value = parsePrecision(name); },
                helpOf(setting))
            ->default_str(precisionName(value)),
        setting);
}

void add(CLI::App& command, const SettingInfo& setting, std::string& value) {
    auto* option = withType(command.add_option(setting.flag, value, helpOf(setting)), setting);
    if (!value.empty()) option->capture_default_str();
}

void add(CLI::App& command, const SettingInfo& setting, std::vector<std::string>& value) {
    withType(command.add_option(setting.flag, value, helpOf(setting))->delimiter(','), setting);
}

void add(CLI::App&, const SettingInfo&, std::map<std::string, std::string>&) {}
void add(CLI::App&, const SettingInfo&, Selection&) {}

}  // namespace

void addSetting(CLI::App& command, const SettingInfo& setting, const SettingValue& value) {
    if (setting.flag.empty()) return;
    std::visit([&](auto* each) { add(command, setting, *each); }, value);
}

}  // namespace temper::cli
