// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// The number of iterations of a Loop whose condition is true at the start: found by computing its
/// condition iteration by iteration, with the states that it depends on. Constants of `graph` have
/// to be folded. `limit` is the trip count, if the Loop has one. Source: ONNX, docs/Operators.md,
/// Loop.
/// Returns: nothing if the condition depends on more than constants, or the Loop runs more often
/// than `most`.
std::optional<int64_t> computedTrips(const Graph& graph, const Node& loop, const OpCatalog& catalog,
                                     const KernelRegistry& kernels, std::optional<int64_t> limit,
                                     int64_t most);

}  // namespace temper
