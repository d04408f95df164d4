// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// A training model that multiplies in bfloat16: matrix products, convolutions and their gradients.
/// What only moves, adds or rectifies numbers stays in bfloat16 between two of these; everything
/// else (normalizations, softmax, losses, reductions) is in float32, and so are the parameters,
/// which are cast where a product reads them, and the gradients that accumulate. What a product
/// makes for float32 arithmetic alone is not rounded: it multiplies rounded numbers in float32.
///
/// Inputs and outputs keep their names and types. Types of `training` have to be inferred, and are
/// in the result. Source: Micikevicius et al., Mixed Precision Training (2018), without its loss
/// scale: bfloat16 has the range of float32 (Kalamkar et al., A Study of BFLOAT16, 2019).
/// Throws: Error(Unsupported) naming a node that can't do it.
std::unique_ptr<Graph> toMixedPrecision(const Graph& training, const OpCatalog& catalog);

}  // namespace temper
