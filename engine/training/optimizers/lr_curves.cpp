// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizers/lr_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace temper {

double linearLrFactor(int64_t step, int64_t warmupSteps, int64_t totalSteps) {
    if (step < warmupSteps) {
        return static_cast<double>(step) / static_cast<double>(std::max<int64_t>(1, warmupSteps));
    }
    const auto rest = static_cast<double>(totalSteps - step);
    return std::max(0.0,
                    rest / static_cast<double>(std::max<int64_t>(1, totalSteps - warmupSteps)));
}

double cosineBetween(double start, double end, double done) {
    return end + (start - end) * 0.5 * (1.0 + std::cos(std::numbers::pi * done));
}

double multiStepFactor(int64_t step, std::span<const double> milestones, double gamma) {
    const auto reached = std::ranges::count_if(
        milestones, [step](double milestone) { return milestone <= static_cast<double>(step); });
    return std::pow(gamma, static_cast<double>(reached));
}

double restartProgress(int64_t step, double firstCycle, double growth) {
    auto into = static_cast<double>(step);
    if (growth <= 1) return std::fmod(into, firstCycle) / firstCycle;
    double cycle = firstCycle;
    while (into >= cycle) {
        into -= cycle;
        cycle *= growth;
    }
    return into / cycle;
}

double OneCycle::rateAt(int64_t step) const {
    struct Phase {
        double end;  ///< its last step
        double from, to;
    };
    const double first = peak / initialDivisor;
    const double lastRate = first / finalDivisor;
    const auto last = static_cast<double>(totalSteps - 1);
    const double rising = risingShare * static_cast<double>(totalSteps);
    const Phase up{rising - 1, first, peak};
    const std::array<Phase, 3> phases =
        threePhases
            ? std::array<Phase, 3>{up, {2 * rising - 2, peak, first}, {last, first, lastRate}}
            : std::array<Phase, 3>{up, {last, peak, lastRate}, {last, peak, lastRate}};
    const double at = std::clamp(static_cast<double>(step), 0.0, std::max(0.0, last));
    double begin = 0;
    size_t i = 0;
    for (; i + 1 < phases.size() && at > phases[i].end; ++i) begin = phases[i].end;
    const double length = phases[i].end - begin;
    const double done = length > 0 ? (at - begin) / length : 1.0;
    if (straight) return phases[i].from + (phases[i].to - phases[i].from) * done;
    return cosineBetween(phases[i].from, phases[i].to, done);
}

}  // namespace temper
