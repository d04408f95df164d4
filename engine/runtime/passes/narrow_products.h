// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/cpu/instruction_set.h"

namespace temper {

/// A graph that multiplies in bfloat16: products (OperatorFacts::factors) read bfloat16 and add up
/// in float32 (kWideResult). Everything else is in float32: what is added to products,
/// normalizations, activations, losses, parameters and gradients. A number is rounded once where
/// products read it, and only that form is kept for the backward pass if nothing else there reads
/// it; operators that only move numbers for products move the rounded ones.
///
/// `units`: those of the processor; what they compute no faster (OperatorFacts::narrowGain) stays
/// in float32. None: as Tiles.
///
/// Inputs and outputs keep their names and types. The types of `graph` have to be inferred, and are
/// inferred in the result. Source: Micikevicius et al., Mixed Precision Training (2018), without
/// its loss scale: bfloat16 has the range of float32 (Kalamkar et al., A Study of BFLOAT16, 2019).
/// Throws: Error(Unsupported) naming a node that does not support it.
std::unique_ptr<Graph> withNarrowProducts(const Graph& graph, const OpCatalog& catalog,
                                          BFloat16Units units);

}  // namespace temper
