// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/training/ort_classic/classic_artifacts.h"

namespace temper::classic {

/// Groups weights with equal optimizer attributes, each group with its optimizer model; none
/// without an optimizer. Throws: as makeClassicArtifacts().
std::vector<WeightGroup> makeWeightGroups(const std::vector<std::string>& weights,
                                          const TrainingParameters& parameters,
                                          const OpCatalog& catalog, int64_t opset);

/// max_norm_clip, which has to be the same for all weights; 0 if nothing is clipped.
/// Throws: Error(InvalidInput) if it differs.
double clipNormOf(const std::vector<std::string>& weights, const TrainingParameters& parameters);

}  // namespace temper::classic
