// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/graph_set.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The node that computed the numbers of the value, before nodes that only moved them; null for
/// inputs and weights.
const Node* makerOfNumbers(const Value* value, const OpCatalog& catalog);

/// Warnings A013: the loss applies softmax or sigmoid to a value to which the model has already
/// applied one of them, so that it learns slowly and never becomes confident. `withLoss` is the
/// model with the loss built on it, `own` are the nodes of the original model. LogSoftmax is not a
/// mistake: its softmax is that of its input.
std::vector<Finding> findDoubleActivations(const Graph& withLoss, const OpCatalog& catalog,
                                           const GraphSet<Node>& own);

}  // namespace temper
