// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Restores batch normalizations that the exporter merged into the layers before them
/// (findFoldedNorms()), with the names that their tensors had in the module. The layer keeps the
/// merged weights, and the new norm starts as the identity: inference results do not change. A bias
/// that the exporter made from the norm becomes the norm's again.
///
/// `choices` are names of norms in the module, of the layers' nodes or outputs, or patterns of
/// these; '*' means all. If the model does not know of merged norms, patterns mean convolutions,
/// with or without groups; a Gemm or MatMul of two dimensions has to be given by its full name.
/// Their running statistics are 0 and 1 until measureNormStatistics().
/// Returns: S005, what was restored. Throws: Error(NotFound) for a choice that matches no layer.
std::vector<Finding> restoreNorms(Graph& model, const OpCatalog& catalog,
                                  const std::vector<std::string>& choices);

/// The BatchNormalizations of a graph that restoreNorms() added to it, or to the model that it was
/// made from.
std::vector<const Node*> restoredNormsOf(const Graph& graph);

}  // namespace temper
