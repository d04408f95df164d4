// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Any values of the graph, in this order, become its outputs; none: they stay.
/// Throws: Error(NotFound) naming a value that is not there.
void selectOutputs(Graph& graph, const std::vector<std::string>& names);
/// A copy with these outputs; the graph itself if none are named. Throws: as selectOutputs().
std::shared_ptr<const Graph> withOutputs(std::shared_ptr<const Graph> graph,
                                         const std::vector<std::string>& names);

}  // namespace temper
