// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/autodiff/trainability.h"
#include "engine/ir/graph.h"

namespace temper::capi {

/// A parameter of a forward model.
struct ParameterReport {
    ParameterInfo info;
    bool trains = false;  ///< by default, if nothing else is chosen
};

/// All findings about training a model: remarks about it, and what keeps gradients of its outputs
/// from its parameters.
std::vector<Finding> findingsOf(const Graph& model, std::vector<Finding> remarks);

/// The parameters of the model in file order; `findings` are its own.
std::vector<ParameterReport> parametersOf(const Graph& model, const std::vector<Finding>& findings);

}  // namespace temper::capi
