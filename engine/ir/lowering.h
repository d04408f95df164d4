// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Lowers (OpInfo::lower) every node that `wanted` selects; it is not called for the resulting
/// nodes. Existing values stay. Types have to be inferred before.
/// Returns: whether there was one.
/// Throws: Error(Unsupported) naming the node.
bool lowerNodes(Graph& graph, const OpCatalog& catalog,
                const std::function<bool(const Node&)>& wanted);

/// The same by the lowerings that `loweringOf` returns; null for nodes that stay.
bool lowerNodesBy(Graph& graph, const OpCatalog& catalog,
                  const std::function<const Lowering*(const Node&)>& loweringOf);

}  // namespace temper
