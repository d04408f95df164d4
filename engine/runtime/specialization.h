// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/core/thread_pool.h"
#include "engine/core/value_data.h"
#include "engine/ir/graph.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// Data of a graph's values, by name.
using KnownData = std::map<std::string, ValueData>;

/// ONNX's If: its branch replaces it.
bool isBranch(const Node& node);
/// ONNX's SequenceMap: a copy of its body for each tensor of its first input replaces it.
bool isMap(const Node& node);
/// No plan contains it: what replaces it depends on the data of its first input.
inline bool isInlined(const Node& node) { return isBranch(node) || isMap(node); }

/// Whether the operator can be run at all: by a kernel, by simpler operators or by its bodies.
bool canRun(const Node& node, const OpCatalog& catalog, const KernelRegistry& kernels);

/// Whether specialize() has anything to do although no further value is known: a node with a
/// NodeEvaluator, an If or a SequenceMap reads data that is in the graph.
bool isSpecializable(const Graph& graph, const KernelRegistry& kernels);

/// A copy of the graph for values whose data is known (makeKnown()); nodes that have a
/// NodeEvaluator and read known values only are evaluated; an If with a known condition and a
/// SequenceMap over a known sequence are replaced by their bodies; what no output needs is removed.
/// `seed` is that of the run, for random operators within what is evaluated. Throws: Error of an
/// evaluator, naming the node.
std::unique_ptr<Graph> specialize(const Graph& graph, const KnownData& known,
                                  const OpCatalog& catalog, const KernelRegistry& kernels,
                                  ThreadPool& pool, uint64_t seed);

}  // namespace temper
