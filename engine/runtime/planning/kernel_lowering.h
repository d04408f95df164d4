// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/execution_plan.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// A copy of the graph, and the contradictions in its types.
struct TypedGraph {
    std::unique_ptr<Graph> graph;
    std::vector<Finding> findings;
};

/// Replaces the model's symbols by the plan's shapes, and infers all types that follow from them.
/// Throws: Error(InvalidInput) for an input that contradicts its declaration.
TypedGraph withTypes(const Graph& graph, const InputTypes& inputTypes, const OpCatalog& catalog);

/// A copy of the graph in which operators without a kernel are rewritten as others that have one,
/// as far as the catalog says how. Null if the graph can stay as it is.
/// Throws: Error(Unsupported) naming the node for a form that can't be lowered.
std::unique_ptr<Graph> loweredForKernels(const Graph& graph, const InputTypes& inputTypes,
                                         const OpCatalog& catalog, const KernelRegistry& kernels);

}  // namespace temper
