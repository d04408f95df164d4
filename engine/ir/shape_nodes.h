// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "engine/ir/op_catalog.h"

namespace temper {

/// Nodes that compute with shapes only: what they make follows from the shapes of values and from
/// small constants (Shape, then Gather, Unsqueeze, Concat, ...), and no output of the graph is made
/// by them. They decide how large things are, not what is in them. Types have to be inferred.
std::unordered_set<const Node*> shapeNodes(const Graph& graph, const OpCatalog& catalog);

}  // namespace temper
