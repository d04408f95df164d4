// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/core/error.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// S003, for information: parameters of the exported module that the model does not have unchanged,
/// because the exporter computed something from them (weight norm, 1 + w), merged them with others
/// (a batch norm folded into a convolution), or dropped them; what trains instead, and how to
/// export so that they stay.
std::vector<Finding> findFoldedAway(const Graph& model, const OpCatalog& catalog);

}  // namespace temper
