// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/training/spec/training_spec.h"

namespace temper {

/// New names of a model's inputs and outputs by their old ones.
using Renames = std::map<std::string, std::string>;

/// Renames inputs and outputs of a model, all at once: two may swap names. Bodies of If, Loop and
/// Scan that read them are updated.
/// Throws: Error(NotFound) for a name that no input or output has; Error(InvalidInput) for a new
/// name that is empty, that another value of the model has, or that is given twice.
void renameInputsAndOutputs(Graph& model, const Renames& renames);
/// Throws: as renameInputsAndOutputs(); the model is unchanged.
void requireRenamable(const Graph& model, const Renames& renames);

/// Updates the choices that use names of inputs and outputs: of the loss and its inputs, extra
/// outputs, nodes by their output, binding.
void followRenames(ArtifactSpec& spec, const Renames& renames);
void followRenames(TrainingSpec& spec, const Renames& renames);

/// The specification after one input or output, now called `current`, was renamed:
/// TrainingSpec::rename and everything that uses the name.
TrainingSpec withRenamed(TrainingSpec spec, const std::string& current, const std::string& next);

/// The names after renaming.
std::vector<std::string> renamed(std::vector<std::string> names, const Renames& renames);

/// The name in the model's file of an input or output that is now called `current`.
std::string originalName(const Renames& renames, const std::string& current);

}  // namespace temper
