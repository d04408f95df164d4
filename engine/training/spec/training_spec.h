// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/provenance/sharing.h"
#include "engine/training/spec/artifact_spec.h"
#include "engine/training/spec/hidden_units.h"
#include "engine/training/spec/run_spec.h"

namespace temper {

/// All choices of the user: plain data, JSON in and out.
struct TrainingSpec {
    std::string model;  ///< path of the forward model
    /// Inputs of the model, by the name in its file, with the number that fills all of their
    /// elements instead of data: see fixInputs().
    std::map<std::string, double> fixedInputs = {};
    bool freeBatch = false;   ///< frees the model's number of samples, see freeBatch()
    int64_t headClasses = 0;  ///< > 0: the model's head is replaced by one with this many classes
    HiddenUnits hiddenUnits = {};  ///< of the layers before the head, see setHiddenUnits()
    /// Operators, node names or patterns, names of outputs: nodes without a gradient that are
    /// replaced by others, see replaceNodes().
    std::vector<std::string> replace = {};
    /// Which tensors are one parameter, see restoreSharing().
    SharingChoices sharing = {};
    /// Batch normalizations that the exporter merged into layers and that are restored, see
    /// restoreNorms().
    std::vector<std::string> restoreNorms = {};
    /// New names of inputs and outputs of the model, by the name in its file. All other choices use
    /// the new ones.
    std::map<std::string, std::string> rename = {};
    ArtifactSpec artifacts;
    RunSpec run;

    bool operator==(const TrainingSpec&) const = default;
};

/// Readable, stable JSON; unknown keys are errors that name them.
std::string toJson(const TrainingSpec& spec);
/// Throws: Error(InvalidInput) naming the key, what was found and what was expected.
TrainingSpec trainingSpecFromJson(std::string_view json);

}  // namespace temper
