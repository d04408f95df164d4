// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/number_checks.h"
#include "engine/training/spec/run_settings.h"

namespace temper::cli {

/// Adds the flag of one setting, which writes to `value`; nothing if it has none, or if its value
/// is a choice with hyperparameters or a map, which have their own flags.
void addSetting(CLI::App& command, const SettingInfo& setting, const SettingValue& value);

/// Adds the flags of all settings. `owner` has to outlive the parsing.
template <typename Owner>
void addSettings(CLI::App& command, const std::vector<Setting<Owner>>& settings, Owner& owner) {
    for (const Setting<Owner>& setting : settings) {
        addSetting(command, setting, setting.value(owner));
    }
}

}  // namespace temper::cli
