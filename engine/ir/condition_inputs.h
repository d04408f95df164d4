// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/ir/op_catalog.h"

namespace temper {

/// The graph inputs of known shape whose numbers decide the condition of an If, without those of
/// which only the shape matters. Empty if something else decides it too: an input of open shape.
std::vector<const Value*> conditionInputs(const Graph& graph, const Node& branch,
                                          const OpCatalog& catalog);

}  // namespace temper
