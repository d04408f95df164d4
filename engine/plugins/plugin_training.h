// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plugins/plugin.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"

namespace temper {

MetricInfo pluginMetricInfo(const TemperMetric& metric);
std::unique_ptr<Metric> makePluginMetric(const TemperMetric& metric);

/// The loss as a node of the plugin's operator on prediction and target; its hyperparameters are
/// float attributes.
LossFunction pluginLoss(const TemperLoss& loss);

Choice pluginScheduleChoice(const TemperSchedule& schedule);
LrCurve pluginCurve(const TemperSchedule& schedule);

/// Throws: Error(InvalidInput) saying what is wrong with a table.
void requireValid(const TemperMetric& metric);
void requireValid(const TemperLoss& loss);
void requireValid(const TemperSchedule& schedule);
void requireValid(const TemperPanel& panel);

}  // namespace temper
