// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// A copy of the model without the control flow that is decided before it runs: the branch replaces
/// each If whose condition follows from initializers and static shapes, and copies of the body
/// replace each Loop whose number of iterations does: its trip count if its condition stays true,
/// otherwise the result of computing the condition. Loops that would become very many nodes stay as
/// they are. Sequences and optionals of known tensors become plain tensors. The initializers named
/// in `changing`, whose values will change, decide nothing: parameters that train.
std::unique_ptr<Graph> withFoldedControlFlow(const Graph& model, const OpCatalog& catalog,
                                             const KernelRegistry& kernels,
                                             const std::vector<std::string>& changing = {});

/// Whether the model itself, without its bodies, has what withFoldedControlFlow() may replace: an
/// If, a Loop, or operators of sequences and optionals.
bool hasFoldableNodes(const Graph& model);

}  // namespace temper
