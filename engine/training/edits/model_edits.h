// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/training/spec/training_spec.h"

namespace temper {

/// Makes the changes to the forward model that a specification asks for: parameters that its
/// exporter merged or copied restored, half precision widened, inputs that are constants, the
/// number of samples made free, batch normalizations put back, its new head, nodes that others
/// stand for, names of inputs and outputs, in this order. `headSeed` is that of the head's weights.
/// Pointers into the model are not valid afterwards. Returns: what restoreSharing() and
/// restoreNorms() did. Throws: as these, fixInputs(), freeBatch(), replaceHead(), replaceNodes()
/// and renameInputsAndOutputs().
std::vector<Finding> editModel(Graph& model, const OpSet& ops, const TrainingSpec& spec,
                               uint64_t headSeed = 0);

/// Whether two specifications ask for different changes.
bool haveOtherEdits(const TrainingSpec& a, const TrainingSpec& b);

}  // namespace temper
