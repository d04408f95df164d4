// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/provenance/module_names.h"
#include "engine/training/spec/artifact_spec.h"

namespace temper {

/// The numbers of each trainable parameter, in the order of `names`.
struct GroupedParameters {
    std::vector<std::string> names;
    std::vector<float> learningRateFactors;
    std::vector<float> weightDecays;
    std::vector<int64_t> startSteps;

    /// Whether all parameters are treated alike, with the optimizer's own numbers.
    bool isUniform(double weightDecay) const;
};

/// Applies the groups of a specification to the trainable parameters `names` of a model; patterns
/// also match their names in the module.
/// Throws: Error(InvalidInput) if the optimizer has no weight decay.
GroupedParameters groupParameters(const Graph& model, const std::vector<std::string>& names,
                                  const ArtifactSpec& spec, const ModuleNames& modules = {});

/// A001: a group's patterns match none of the trainable parameters `names` (an Info if they match
/// some of `frozen`, which could train); A012: a number is out of range.
std::vector<Finding> checkParameterGroups(const std::vector<std::string>& names,
                                          const std::vector<std::string>& frozen,
                                          const ArtifactSpec& spec,
                                          const ModuleNames& modules = {});

}  // namespace temper
