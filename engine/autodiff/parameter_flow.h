// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Which parameters flow into each value of a graph along differentiable edges: one sweep over the
/// nodes, a bit per parameter.
class ParameterFlow {
public:
    ParameterFlow(const Graph& graph, const OpCatalog& catalog,
                  const std::vector<Value*>& parameters);

    /// Positions, in the list of parameters, of those that flow into the value, itself included.
    std::vector<size_t> into(const Value* value) const;
    /// The same for all inputs of a node that take a gradient.
    std::vector<size_t> into(const Node& node) const;

private:
    using Bits = std::vector<uint64_t>;

    Bits collect(const Node& node) const;
    std::vector<size_t> positions(const Bits& bits) const;

    const Graph& graph_;
    const OpCatalog& catalog_;
    size_t words_;
    std::unordered_map<const Value*, Bits> bits_;
};

}  // namespace temper
