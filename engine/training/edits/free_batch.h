// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/training/edits/fixed_inputs.h"

namespace temper {

/// The number of samples that a model takes at a time: the outermost dimension that its inputs of
/// the highest rank share. Absent if they have no such number, or one dimension only.
std::optional<int64_t> fixedBatch(const Graph& model);

/// W008, for information, about a model that takes one number of samples only.
std::optional<Finding> remarkOnFixedBatch(const Graph& model);

/// Makes the number of samples of a model free: a dimension called "batch" in place of
/// fixedBatch(). Shapes that a Reshape holds as numbers follow from its input; constants that stand
/// for one batch (initial states, class tokens) are repeated for each. Types are inferred. A model
/// whose number is free already stays as it is.
/// Throws: Error(Unsupported) naming the node that needs the number; the model is not to be used
/// then.
void freeBatch(Graph& model, const OpCatalog& catalog);

/// Compares what a model computes of two batches at once, its number of samples made free, with
/// what it computes of each, for inputs made up from a seed. `fixed` are inputs that are constants.
/// Throws: Error(Unsupported) as freeBatch(), or naming the output that is another (samples of one
/// batch take part in each other's results).
void requireFreeableBatch(const Graph& model, const OpSet& ops, const FixedInputs& fixed = {});

}  // namespace temper
