// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/graph_set.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The node that computed the numbers of the value, before others that only moved them; null for
/// inputs and weights.
const Node* makerOfNumbers(const Value* value, const OpCatalog& catalog);

/// Warnings A013: the loss applies softmax or sigmoid to a value that the model has already put
/// through one of them, so that it learns slowly and never gets sure. `withLoss` is the model with
/// the loss built on it, `own` are the nodes that were the model's. LogSoftmax is no mistake: the
/// softmax of it is that of its input.
std::vector<Finding> findDoubleActivations(const Graph& withLoss, const OpCatalog& catalog,
                                           const GraphSet<Node>& own);

}  // namespace temper
