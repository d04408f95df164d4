// SPDX-License-Identifier: Apache-2.0
// In C: a schedule that is always half the rate.
#include <temper/plugin.h>

static double half(int64_t steps_done, int64_t total_steps, double initial_rate,
                   const double* values) {
    (void)steps_done;
    (void)total_steps;
    (void)values;
    return initial_rate / 2;
}

static int load(const TemperHost* host, TemperRegistry* registry, TemperError* error) {
    TemperSchedule schedule = {0};
    schedule.size = sizeof schedule;
    schedule.key = "half";
    schedule.label = "Half";
    schedule.help = "Half the rate.";
    schedule.rate = half;
    return host->add_schedule(registry, &schedule, error);
}

const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "plain", "1", "In C.", load};
