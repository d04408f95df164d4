// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/training/edits/fixed_inputs.h"

namespace temper {

/// The number of samples that a model takes at a time: the outermost dimension that its inputs of
/// the highest rank share. Absent if it is not a fixed number, or if they have only one dimension.
std::optional<int64_t> fixedBatch(const Graph& model);

/// W008 (info) about a model that takes only one fixed number of samples.
std::optional<Finding> remarkOnFixedBatch(const Graph& model);

/// Frees the number of samples of a model: a dimension called "batch" replaces fixedBatch(). Shapes
/// that a Reshape holds as numbers are derived from its input; constants that stand for one batch
/// (initial states, class tokens) are repeated for each sample. Types are inferred. A model whose
/// number is already free is unchanged.
/// Throws: Error(Unsupported) naming the node that needs the number; the model must not be used
/// then.
void freeBatch(Graph& model, const OpCatalog& catalog);

/// Frees the number of samples of a copy and compares its results for two batches at once with
/// those for each batch, with inputs generated from a seed. `fixed` are inputs that are constants.
/// Throws: Error(Unsupported) as freeBatch(), or naming the output that differs (samples of one
/// batch affect each other's results).
void requireFreeableBatch(const Graph& model, const OpSet& ops, const FixedInputs& fixed = {});

}  // namespace temper
