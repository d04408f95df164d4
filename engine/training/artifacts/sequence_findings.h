// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Explains, in the hints of errors at operators of sequences and optionals, why these could not be
/// rewritten with plain tensors, as foldSequences() does, and what would help. Types are inferred.
void explainSequences(const Graph& model, const OpCatalog& catalog, std::vector<Finding>& findings);

}  // namespace temper
