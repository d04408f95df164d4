// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"
#include "engine/ir/graph.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// Data of a graph's values, by name.
using KnownData = std::map<std::string, Tensor>;

/// ONNX's If: no plan contains it, its branch replaces it.
bool isBranch(const Node& node);

/// Whether specialize() has anything to do although no further value is known: a node with a
/// NodeEvaluator, or an If, reads initializers only.
bool isSpecializable(const Graph& graph, const KernelRegistry& kernels);

/// A copy of the graph for values whose data is known: they become initializers; nodes that have a
/// NodeEvaluator and read known values only are evaluated; an If with a known condition is replaced
/// by its branch; what no output needs is removed. `seed` is that of the run, for random operators
/// within what is evaluated. Throws: Error of an evaluator, naming the node.
std::unique_ptr<Graph> specialize(const Graph& graph, const KnownData& known,
                                  const OpCatalog& catalog, const KernelRegistry& kernels,
                                  ThreadPool& pool, uint64_t seed);

}  // namespace temper
