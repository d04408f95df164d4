// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// Computes the nodes whose inputs are all initializers, and Shape of a static shape, and makes
/// their outputs literals, under the same names: values that exporters write as a chain of nodes
/// (widths of a Pad, scales of a Resize) are then known to gradient rules.
///
/// Left unchanged: graph outputs and what bodies read, random operators, nodes with bodies or
/// without a kernel, and results that are much larger than what they follow from.
void foldKnownValues(Graph& graph, const OpCatalog& catalog, const KernelRegistry& kernels);

}  // namespace temper
