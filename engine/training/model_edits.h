// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/training/training_spec.h"

namespace temper {

/// Makes the changes to the forward model that a specification asks for: its new head, then
/// nodes that others stand for, then names of inputs and outputs. `headSeed` is that of the head's
/// weights. Throws: as replaceHead(), replaceNodes() and renameInputsAndOutputs().
void editModel(Graph& model, const OpCatalog& catalog, const TrainingSpec& spec,
               uint64_t headSeed = 0);

/// Whether two specifications ask for different changes.
bool haveOtherEdits(const TrainingSpec& a, const TrainingSpec& b);

}  // namespace temper
