// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "engine/ir/op_catalog.h"

namespace temper {

/// Nodes that compute with shapes only: their outputs follow from the shapes of values and from
/// small constants (Shape, then Gather, Unsqueeze, Concat, ...) and are no outputs of the graph.
/// They decide how large things are, not what is in them. Types have to be inferred.
std::unordered_set<const Node*> shapeNodes(const Graph& graph, const OpCatalog& catalog);

}  // namespace temper
