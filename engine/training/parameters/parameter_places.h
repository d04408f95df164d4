// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Parameters by the place of their use: the index, in the order of computation, of the first node
/// that combines a parameter with what comes from an input of the model. Before that, exporters
/// transpose, reshape and split parameters. Those that meet no input are left out.
std::map<size_t, std::vector<std::string>> parametersByPlace(const Graph& model,
                                                             const std::set<std::string>& names);

}  // namespace temper
