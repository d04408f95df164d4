// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/graph_set.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Whether a value can have a gradient: floating-point and quantized tensors and values of unknown
/// type can, unless the user chose that gradients stop there.
bool carriesGradient(const Value& value);

/// Whether a gradient can flow through this edge: a floating-point tensor in a slot that the
/// operator does not declare non-differentiable (axes, labels, running statistics, ...).
bool isDifferentiableEdge(const OpCatalog& catalog, const Node& node, size_t input);

/// The values that gradients can flow into from a node: its inputs on differentiable edges, and
/// what its bodies capture.
std::vector<Value*> differentiableReads(const Graph& graph, const OpCatalog& catalog,
                                        const Node& node);

/// Values that depend on one of `from` along differentiable edges, `from` included. What the bodies
/// of a node read from the graph around them counts as an input of the node.
ValueSet reachedFrom(const Graph& graph, const OpCatalog& catalog, const std::vector<Value*>& from);

/// Values that `to` depends on along differentiable edges, `to` included.
ValueSet reachingTo(const Graph& graph, const OpCatalog& catalog, const Value* to);

/// Values that one of `to` depends on in any way, including through integers and the bodies of If,
/// Loop and Scan; `to` included.
ValueSet influencing(const Graph& graph, const std::vector<Value*>& to);

/// Values that the inputs of a node depend on along differentiable edges, its inputs included.
ValueSet valuesBefore(const Graph& graph, const OpCatalog& catalog, const Node& node);

}  // namespace temper
