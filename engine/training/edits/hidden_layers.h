// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Gives the hidden layers of a model, those of findDenseLayers() before the head, these numbers of
/// units. More numbers than layers append layers with the activation of the last hidden layer, or
/// Relu; fewer remove the last layers. Units that stay keep the weights by which they read units
/// that stay; all others are new, see freshWeights(), and the same for the same seed. Types are
/// inferred again.
/// Throws: as requireBuildable() and findHead(); Error(InvalidInput) if the head is not fully
/// connected, for weights that are used elsewhere, and naming the node that needs the old number.
void setHiddenUnits(Graph& model, const OpCatalog& catalog, const std::vector<int64_t>& units,
                    uint64_t seed);

}  // namespace temper
