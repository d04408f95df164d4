// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// A copy of the model without the control flow that is decided before it runs: the branch in the
/// place of each If whose condition follows from initializers and static shapes, and copies of the
/// body in the place of each Loop whose number of iterations does: its trip count where its
/// condition stays true, otherwise what computing the condition gives. Loops that would give very
/// many nodes stay as they are. Sequences and optionals of known tensors become plain tensors.
std::unique_ptr<Graph> withFoldedControlFlow(const Graph& model, const OpCatalog& catalog,
                                             const KernelRegistry& kernels);

}  // namespace temper
