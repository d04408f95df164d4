// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/autodiff/trainability.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"

namespace temper {

/// All findings about training a forward model as it is, before any choice: `remarks` about it, its
/// precision, hidden weights, and what keeps gradients of its outputs from its parameters. Tries
/// all gradients. The model is not changed.
std::vector<Finding> findingsOfModel(const Graph& model, const OpSet& ops,
                                     std::vector<Finding> remarks = {});

/// A parameter of a forward model.
struct ModelParameter {
    ParameterInfo info;
    bool trains = false;  ///< by default, if nothing else is chosen
};

/// The parameters of the model in file order; `findings` are those of findingsOfModel().
std::vector<ModelParameter> parametersOfModel(const Graph& model, const OpSet& ops,
                                              const std::vector<Finding>& findings);

}  // namespace temper
