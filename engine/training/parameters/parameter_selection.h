// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/autodiff/trainability.h"
#include "engine/core/error.h"
#include "engine/ops/op_set.h"
#include "engine/training/spec/artifact_spec.h"

namespace temper {

/// Which initializers train and which are frozen; all others stay constants of the model.
struct ParameterSelection {
    std::vector<std::string> trainable;  ///< in initializer order
    std::vector<std::string> frozen;     ///< including batch-norm statistics
    std::vector<Finding> findings;       ///< A001, A002, A003
};

/// Whether a parameter trains if the user names it.
bool canTrain(const ParameterInfo& info);

/// Whether patterns match a parameter: by the tensor's name, or by its name in the module.
bool matchesAny(const std::vector<std::string>& patterns, const ParameterInfo& info);

/// Applies the patterns of the specification to the parameters of a model.
/// A name that patterns of both lists match is frozen; given literally in both, it is an error.
ParameterSelection selectParameters(const std::vector<ParameterInfo>& parameters,
                                    const ArtifactSpec& spec);

/// A copy of the model without the control flow that is decided before it trains, see
/// withFoldedControlFlow(): the initial values of trainable parameters decide nothing.
std::unique_ptr<Graph> foldedForTraining(const Graph& model, const OpSet& ops,
                                         const ArtifactSpec& spec);

}  // namespace temper
