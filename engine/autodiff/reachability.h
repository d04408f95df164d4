// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Whether a gradient can flow through this edge: a floating-point tensor in a slot that the
/// operator does not declare non-differentiable (axes, labels, running statistics, ...).
bool isDifferentiableEdge(const OpCatalog& catalog, const Node& node, size_t input);

/// Values that depend on one of `from` along differentiable edges, `from` included.
std::unordered_set<const Value*> reachedFrom(const OpCatalog& catalog,
                                             const std::vector<Value*>& from);

/// Values that `to` depends on along differentiable edges, `to` included.
std::unordered_set<const Value*> reachingTo(const OpCatalog& catalog, const Value* to);

}  // namespace temper
