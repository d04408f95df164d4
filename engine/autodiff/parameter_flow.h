// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/graph_set.h"
#include "engine/ir/graph_table.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Which parameters flow into the values of a graph along differentiable edges. Whether any does is
/// found in one sweep; which ones, by a walk back from a value.
class ParameterFlow {
public:
    ParameterFlow(const Graph& graph, const OpCatalog& catalog,
                  const std::vector<Value*>& parameters);

    bool isAnyInto(const Value* value) const { return reached_.contains(value); }
    bool isAnyInto(const Node& node) const;

    /// Positions, in the list of parameters, of those that flow into the value, itself included.
    std::vector<size_t> into(const Value* value) const;
    /// The same for all inputs of a node that take a gradient.
    std::vector<size_t> into(const Node& node) const;

private:
    const Graph& graph_;
    const OpCatalog& catalog_;
    ValueTable<size_t> positions_;
    ValueSet reached_;
};

}  // namespace temper
