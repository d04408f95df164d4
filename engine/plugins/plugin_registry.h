// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/plugins/plugin.h"

// What a plugin added while loading; Temper accepts it as a whole, or not at all.
struct TemperRegistry {
    std::vector<TemperOperator> operators;
    std::vector<TemperDataFormat> dataFormats;
    std::vector<TemperMetric> metrics;
    std::vector<TemperLoss> losses;
    std::vector<TemperSchedule> schedules;
    std::vector<TemperPanel> panels;  ///< for the studio
};

namespace temper {

/// The functions that plugins call.
const TemperHost& pluginHost();

/// Checks that everything in it can be added.
/// Throws: Error(InvalidInput) naming what already exists.
void requireNew(const TemperRegistry& registry);

/// Adds everything to Temper's own tables: standardOps(), dataFormats() and so on.
void addAll(const TemperRegistry& registry);

/// "operator com.example.Swish", "data format libsvm", ...
std::vector<std::string> describe(const TemperRegistry& registry);

}  // namespace temper
