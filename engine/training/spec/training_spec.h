// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/provenance/sharing.h"
#include "engine/training/spec/artifact_spec.h"
#include "engine/training/spec/run_spec.h"

namespace temper {

/// Every choice of the user: plain data, JSON in and out.
struct TrainingSpec {
    std::string model;  ///< path of the forward model
    /// Inputs of the model, by the name in its file, that hold this number in every element instead
    /// of data: see fixInputs().
    std::map<std::string, double> fixedInputs = {};
    bool freeBatch = false;   ///< the model's number of samples is made free, see freeBatch()
    int64_t headClasses = 0;  ///< > 0: the model's head is replaced by one with so many classes
    /// Operators, node names, patterns of them, names of outputs: nodes without gradient that are
    /// replaced by others, see replaceNodes().
    std::vector<std::string> replace = {};
    /// Which tensors are one parameter, see restoreSharing().
    SharingChoices sharing = {};
    /// Batch normalizations that the exporter merged into layers and that are put back, see
    /// restoreNorms().
    std::vector<std::string> restoreNorms = {};
    /// Inputs and outputs of the model, by the name in its file, to their new names. All other
    /// choices use the new ones.
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
