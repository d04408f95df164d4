// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/training/checkpoint_state.h"

namespace temper {

/// The eval model with the state's parameters as initializers, cut down to `outputs` (any values
/// of the eval model). Source: spec/training_api.md section 7.
/// Throws: Error(NotFound) naming an unknown output, Error(State) for a nominal state.
std::unique_ptr<Graph> makeInferenceModel(const Graph& evalModel, const CheckpointState& state,
                                          const std::vector<std::string>& outputs);

}  // namespace temper
