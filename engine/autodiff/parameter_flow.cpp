// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/parameter_flow.h"

#include <algorithm>

#include "engine/autodiff/reachability.h"

namespace temper {

ParameterFlow::ParameterFlow(const Graph& graph, const OpCatalog& catalog,
                             const std::vector<Value*>& parameters)
    : graph_(graph), catalog_(catalog), reached_(reachedFrom(graph, catalog, parameters)) {
    for (size_t i = 0; i < parameters.size(); ++i) positions_[parameters[i]] = i;
}

bool ParameterFlow::isAnyInto(const Node& node) const {
    const std::vector<Value*> reads = differentiableReads(graph_, catalog_, node);
    return std::ranges::any_of(reads, [this](const Value* value) { return isAnyInto(value); });
}

std::vector<size_t> ParameterFlow::into(const Value* value) const {
    if (!isAnyInto(value)) return {};
    if (const size_t* parameter = positions_.find(value)) return {*parameter};
    return into(*value->producer());
}

std::vector<size_t> ParameterFlow::into(const Node& node) const {
    if (!isAnyInto(node)) return {};
    std::vector<size_t> result;
    for (const Value* value : valuesBefore(graph_, catalog_, node)) {
        if (const size_t* parameter = positions_.find(value)) result.push_back(*parameter);
    }
    std::ranges::sort(result);
    return result;
}

}  // namespace temper
