// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/weight_average.h"

#include <algorithm>

#include "engine/core/error.h"

namespace temper {
namespace {

const std::string kAverage = "average";

/// Null if there is none.
template <typename State>
auto* averageOf(State& state, const std::string& parameter) {
    auto& moments = state.optimizerState().moments;
    const auto entry = moments.find(parameter);
    using Result = decltype(&entry->second.begin()->second);
    if (entry == moments.end()) return Result{nullptr};
    const auto found = entry->second.find(kAverage);
    return found == entry->second.end() ? Result{nullptr} : &found->second;
}

}  // namespace

WeightAverage::WeightAverage(CheckpointState& state, double decay)
    : state_(state), decay_(static_cast<float>(decay)) {
    if (decay >= 0 && decay < 1) return;
    throw Error(ErrorCode::InvalidInput, "The decay of the weight average is " +
                                             std::to_string(decay) +
                                             "; expected a number from 0 to below 1.");
}

void WeightAverage::update(Device& device) {
    for (Parameter& parameter : state_.parameters()) {
        if (!parameter.requiresGrad || parameter.data.dtype() != DType::Float32) continue;
        Tensor* average = averageOf(state_, parameter.name);
        if (average == nullptr) {
            state_.optimizerState().moments[parameter.name][kAverage] = parameter.data.duplicate();
            continue;
        }
        device.average(*average, parameter.data, decay_);
    }
}

void WeightAverage::swap(CheckpointState& state) {
    for (Parameter& parameter : state.parameters()) {
        if (!parameter.requiresGrad) continue;
        Tensor* average = averageOf(state, parameter.name);
        if (average == nullptr || average->empty()) continue;
        const Tensor kept = average->duplicate();
        average->assign(parameter.data);
        parameter.data.assign(kept);
    }
}

bool WeightAverage::isThere(const CheckpointState& state) {
    return std::ranges::any_of(state.parameters(), [&](const Parameter& parameter) {
        return averageOf(state, parameter.name) != nullptr;
    });
}

}  // namespace temper
