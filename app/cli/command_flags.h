// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/choice_options.h"
#include "app/cli/spec_options.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/spec/training_spec.h"

namespace temper::cli {

/// What `temper artifacts` takes of a specification, and where it writes. commandLineOf() writes
/// these flags.
struct ArtifactsFlags {
    std::string model;
    std::string out;
    SpecOptions artifacts;
    std::string prefix;
    bool ortFormat = false;
    bool nominalCheckpoint = false;
    std::vector<std::string> fixedInputs;
    bool freeBatch = false;
    int64_t headClasses = 0;
    std::string hiddenUnits;
    std::vector<std::string> restoreNorms;
    std::string data;  ///< for the restored norms
    std::vector<std::string> binding;
    std::vector<std::string> renames;

    /// This object has to outlive the parsing.
    void addTo(CLI::App& command);
    /// Throws: Error(InvalidInput) naming a flag whose value is of another form.
    TrainingSpec spec() const;
};

/// The same for `temper train`.
struct RunFlags {
    RunSpec run;
    ChoiceOptions schedule{"--schedule", scheduleChoices()};
    std::vector<std::string> binding;

    void addTo(CLI::App& command);
    /// Throws: Error(InvalidInput) for an unknown schedule or metric.
    RunSpec spec() const;
};

}  // namespace temper::cli
