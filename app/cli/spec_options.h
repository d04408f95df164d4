// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "app/cli/choice_options.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/edits/fixed_inputs.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/optimizers.h"

namespace temper::cli {

/// --loss, --optimizer and their hyperparameters, --group, --train, --freeze, --loss-input,
/// --extra-output: what determines the artifacts.
struct SpecOptions {
    ChoiceOptions loss{"--loss", lossChoices()};
    ChoiceOptions optimizer{"--optimizer", optimizerChoices()};
    std::vector<std::string> groups;
    bool leavesBiasesAndNorms = false;
    std::vector<std::string> train;
    std::vector<std::string> freeze;
    std::vector<std::string> lossInputs;
    std::vector<std::string> extraOutputs;
    std::vector<std::string> straightThrough;
    std::vector<std::string> stopGradient;
    std::vector<std::string> frozenStatistics;
    std::vector<std::string> replace;
    SharingChoices sharing;

    void addTo(CLI::App& command);
    /// --straight-through, --stop-gradient, --freeze-statistics and --replace, for commands that
    /// open a forward model.
    void addGradientChoicesTo(CLI::App& command);
    /// --tie, --untie, --part and --keep-merged.
    void addSharingChoicesTo(CLI::App& command);
    ArtifactSpec spec() const;
};

/// Parses "head.*:lr=0.1,weight_decay=0" as a group. Throws: Error(InvalidInput) for another form.
ParameterGroup parseParameterGroup(const std::string& text);

/// --rename, for inputs and outputs of a model.
void addRenameOption(CLI::App& command, std::vector<std::string>& renames);
/// Parses "image=pixels" and so on. Throws: Error(InvalidInput) for another form, and for a name
/// that is given twice.
std::map<std::string, std::string> parseRenames(const std::vector<std::string>& texts);

/// --fix-input, for inputs of a model.
void addFixInputOption(CLI::App& command, std::vector<std::string>& fixedInputs);
/// Parses "sr=16000" and so on. Throws: Error(InvalidInput) for another form, and for a name that
/// is given twice.
FixedInputs parseFixedInputs(const std::vector<std::string>& texts);

/// Reads a forward model, makes inputs constants and infers its types; `remarks` are those of
/// LoadOptions. Throws: Error naming the file, also for a model whose nodes contradict their
/// operators; as fixInputs().
std::unique_ptr<Graph> loadForwardModel(const std::string& path, const OpSet& ops,
                                        const FixedInputs& fixedInputs = {},
                                        std::vector<Finding>* remarks = nullptr);

}  // namespace temper::cli
