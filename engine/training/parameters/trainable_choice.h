// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/autodiff/trainability.h"
#include "engine/ir/blocks.h"
#include "engine/ir/graph.h"
#include "engine/training/spec/artifact_spec.h"

namespace temper {

/// The parameters that a specification trains: those of class Trainable that its patterns choose,
/// and the constants that it requests.
std::set<std::string> trainedParameters(const std::vector<ParameterInfo>& parameters,
                                        const ArtifactSpec& spec);

/// Expresses the same with names, in the shorter of both ways; without names if every parameter
/// trains. Constants among them have to be named.
ArtifactSpec withTrainedParameters(ArtifactSpec spec, const std::vector<ParameterInfo>& parameters,
                                   const std::set<std::string>& trained);

enum class TrainablePreset {
    All,
    LastLayer,   ///< what the last node with a weight reads, and what is added after it
    LastLayers,  ///< the same for the last three such nodes
    Biases,      ///< vectors that are added, without scales of norms
    Norms,       ///< scales and shifts of norms, including those that an exporter decomposed
    None
};

/// The parameters of a preset. `parameters` and `blocks` are those of `model`.
std::set<std::string> presetParameters(const Graph& model, const OpCatalog& catalog,
                                       const std::vector<ParameterInfo>& parameters,
                                       const std::vector<Block>& blocks, TrainablePreset preset);

/// The parameters of class Trainable with a part of the name that a regular expression matches.
/// Throws: as NameExpression.
std::set<std::string> matchingParameters(const std::vector<ParameterInfo>& parameters,
                                         const std::string& expression);

struct ParameterCounts {
    int64_t trainedTensors = 0;
    int64_t trainedElements = 0;
    int64_t trainedBytes = 0;
    int64_t frozenTensors = 0;
    int64_t frozenElements = 0;
    int64_t frozenBytes = 0;
};

/// Counts of the parameters of class Trainable, and of those that are trained.
ParameterCounts countParameters(const std::vector<ParameterInfo>& parameters,
                                const std::set<std::string>& trained);

}  // namespace temper
