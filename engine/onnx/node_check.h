// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// Holds every node of a model that was read, those in bodies included, against the schema of its
/// operator: how many inputs and outputs it has and which may be left out, the kinds of its
/// attributes and which have to be there, and what goes into the bodies of If, Loop, Scan and
/// SequenceMap and comes out of them. What comes behind need not ask again. ONNX's operators have
/// no attributes but their own and those called "__...", as in ONNX Runtime; operators that neither
/// ONNX nor ONNX Runtime has are passed over.
/// Throws: Error(InvalidInput) naming the node and the rule.
void checkNodes(const Graph& graph);

}  // namespace temper
