// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace temper {
struct RunSpec;
}

namespace temper::ui {

/// A draggable point of a drawn schedule, and what it sets.
struct ScheduleHandle {
    std::string stepKey;  ///< hyperparameter set by its place on the step axis; empty: none
    std::string rateKey;  ///< the same for its height; kRateOfRun: the run's learning rate
    size_t item = 0;      ///< for a list: which of its numbers, in their order
    double step = 0;      ///< optimizer steps done
    double rate = 0;
};

inline constexpr char kRateOfRun[] = "learning_rate";

/// The points of the run's schedule over `steps` optimizer steps. The hyperparameters of the choice
/// determine which points it has. Throws: Error for an invalid schedule.
std::vector<ScheduleHandle> scheduleHandles(const RunSpec& run, int64_t steps);

/// The run with the point dragged to a step, a rate or both, as near as the ranges of the numbers
/// allow; steps are whole, rates have three digits.
RunSpec dragged(RunSpec run, const ScheduleHandle& handle, int64_t steps,
                std::optional<double> step, std::optional<double> rate);

/// "Warm-up 120, Learning rate 0.003": what the handle sets, with the run's values.
QString handleText(const RunSpec& run, const ScheduleHandle& handle);

}  // namespace temper::ui
