// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Lowers (OpInfo::lower) every node that `wanted` chooses; the nodes that come of it are not
/// asked about. Values that were there before stay. Types have to be inferred before.
/// Returns: whether there was one.
/// Throws: Error(Unsupported) naming the node.
bool lowerNodes(Graph& graph, const OpCatalog& catalog,
                const std::function<bool(const Node&)>& wanted);

}  // namespace temper
