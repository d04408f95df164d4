// SPDX-License-Identifier: Apache-2.0
#include "python/src/fit_profile.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "engine/runtime/chrome_trace.h"
#include "engine/runtime/cpu/machine_peaks.h"
#include "engine/training/session/module.h"

namespace temper::python {
namespace {

/// Sums over the operator's nodes.
std::vector<OperatorCost> costsOf(const Profile& profile, const MachinePeaks& peaks) {
    std::map<std::string, OperatorCost> costs;
    for (const Profile::Step& step : profile.steps()) {
        if (step.cost.count == 0) continue;
        OperatorCost& cost = costs[step.op];
        cost.op = step.op;
        cost.calls += step.cost.count;
        cost.seconds += step.cost.seconds;
        cost.flops += step.cost.flops;
        cost.bytes += step.cost.bytes;
        cost.leastSeconds += peaks.leastSeconds(step.cost.flops, step.cost.bytes);
    }
    std::vector<OperatorCost> list;
    for (auto& [op, cost] : costs) list.push_back(std::move(cost));
    std::ranges::stable_sort(list, std::greater<>(), &OperatorCost::seconds);
    return list;
}

}  // namespace

FitProfile::FitProfile(const std::filesystem::path& trace) : trace_(trace) {}

std::vector<OperatorCost> FitProfile::finish(const TrainingSession& session) {
    const Profile& profile = profiler_.profile();
    trace_.write(chromeTrace(profile));
    trace_.commit();
    const int64_t steps = profiler_.steps();
    if (steps == 0) return {};
    std::vector<OperatorCost> costs =
        costsOf(profile, measurePeaks(session.context().device->pool()));
    for (OperatorCost& cost : costs) {
        cost.calls /= steps;
        cost.seconds /= static_cast<double>(steps);
        cost.flops /= steps;
        cost.bytes /= steps;
        cost.leastSeconds /= static_cast<double>(steps);
    }
    return costs;
}

}  // namespace temper::python
