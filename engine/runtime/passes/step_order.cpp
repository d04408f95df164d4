// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/step_order.h"

#include <algorithm>
#include <utility>

namespace temper {

void reorder(std::vector<ExecutionPlan::Step>& steps, const std::vector<size_t>& positions) {
    std::vector<size_t> order(steps.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](size_t step) { return positions[step]; });
    std::vector<ExecutionPlan::Step> sorted;
    sorted.reserve(steps.size());
    for (const size_t step : order) sorted.push_back(std::move(steps[step]));
    steps = std::move(sorted);
}

}  // namespace temper
