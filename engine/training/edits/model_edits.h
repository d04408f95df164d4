// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/training/spec/training_spec.h"

namespace temper {

/// Applies the specification's changes to the forward model, in this order: restores parameters
/// that the exporter merged or copied, widens half precision, makes inputs constants, frees the
/// number of samples, restores batch normalizations, changes the hidden layers, replaces the head,
/// replaces nodes, renames inputs and outputs. `headSeed` is the seed of new weights. Pointers into
/// the model become invalid. Returns: what restoreSharing() and restoreNorms() did. Throws: as
/// these, fixInputs(), freeBatch(), setHiddenUnits(), replaceHead(), replaceNodes() and
/// renameInputsAndOutputs().
std::vector<Finding> editModel(Graph& model, const OpSet& ops, const TrainingSpec& spec,
                               uint64_t headSeed = 0);

/// The same; then the specification's other choices follow renamed inputs and outputs. They may use
/// an old name, unless another value has it now.
/// Throws: as editModel(), and as requireFreeableBatch() before anything is changed.
std::vector<Finding> editModelAndChoices(Graph& model, const OpSet& ops, TrainingSpec& spec,
                                         uint64_t headSeed = 0);

/// Whether two specifications request different changes.
bool haveOtherEdits(const TrainingSpec& a, const TrainingSpec& b);

}  // namespace temper
