// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// The eval model with the state's parameters as initializers, reduced to `outputs` (any values of
/// the eval model). Source: spec/training_api.md section 7.
/// Throws: Error(NotFound) naming an unknown output, Error(State) for a nominal state.
std::unique_ptr<Graph> makeInferenceModel(const Graph& evalModel, const CheckpointState& state,
                                          const std::vector<std::string>& outputs);

/// Replaces the data of every initializer that has the name of a parameter of the state; others
/// stay. Returns: how many were replaced.
/// Throws: Error(State) for a nominal state; Error(InvalidInput) if a parameter differs from its
/// initializer in type or shape.
size_t copyParametersToModel(const CheckpointState& state, Graph& model);

}  // namespace temper
