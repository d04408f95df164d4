// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

using NodeSet = std::unordered_set<const Node*>;

/// The nodes that compute what these read, directly or through others, and these themselves. What
/// bodies of If, Loop and Scan read from the graph around them counts.
NodeSet nodesBefore(const Graph& graph, const std::vector<const Node*>& nodes);

/// The nodes that read the outputs of these, directly or through others, and these themselves.
NodeSet nodesAfter(const Graph& graph, const std::vector<const Node*>& nodes);

/// The nodes on all paths from one of `from` to one of `to`, both ends included; empty if there is
/// no path.
NodeSet nodesBetween(const Graph& graph, const std::vector<const Node*>& from,
                     const std::vector<const Node*>& to);

}  // namespace temper
