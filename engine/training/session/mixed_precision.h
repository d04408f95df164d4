// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// A training model that multiplies in bfloat16: matrix products, convolutions and their gradients.
/// Operators that only move, add or rectify numbers stay in bfloat16 between two of these;
/// everything else (normalizations, softmax, losses, reductions) is in float32, and so are the
/// parameters, which are cast where a product reads them, and the accumulated gradients. A product
/// whose result only float32 arithmetic reads is not rounded: it multiplies rounded numbers in
/// float32.
///
/// Inputs and outputs keep their names and types. Types of `training` have to be inferred, and are
/// inferred in the result. Source: Micikevicius et al., Mixed Precision Training (2018), without
/// its loss scale: bfloat16 has the range of float32 (Kalamkar et al., A Study of BFLOAT16, 2019).
/// Throws: Error(Unsupported) naming a node that does not support it.
std::unique_ptr<Graph> toMixedPrecision(const Graph& training, const OpCatalog& catalog);

}  // namespace temper
