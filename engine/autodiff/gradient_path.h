// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The path of a gradient from the outputs that a loss reads to a parameter.
struct GradientPath {
    /// Every node that the gradient passes through, in topological order.
    std::vector<const Node*> nodes;
    /// Where the parameter's influence leaves the differentiable path: nodes that depend on it but
    /// pass no gradient to it. Found only if `nodes` is empty.
    std::vector<const Node*> ends;
};

/// Follows differentiable edges only. Types must be inferred.
GradientPath gradientPath(const Graph& graph, const OpCatalog& catalog,
                          const std::vector<Value*>& outputs, const Value* parameter);

}  // namespace temper
