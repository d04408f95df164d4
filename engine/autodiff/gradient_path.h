// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The way of a gradient from the outputs that a loss reads to a parameter.
struct GradientPath {
    /// Every node that the gradient passes, in topological order.
    std::vector<const Node*> nodes;
    /// Where the parameter's influence ends without a way for gradients on: nodes that depend on it
    /// but pass no gradient to it. Found only where `nodes` is empty.
    std::vector<const Node*> ends;
};

/// Follows differentiable edges only. Types have to be inferred.
GradientPath gradientPath(const Graph& graph, const OpCatalog& catalog,
                          const std::vector<Value*>& outputs, const Value* parameter);

}  // namespace temper
