// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// Checks every node of a model that was read, including those in bodies, against the schema of its
/// operator: how many inputs and outputs it has and which may be omitted, the kinds of its
/// attributes and which are required, and the inputs and outputs of the bodies of If, Loop, Scan
/// and SequenceMap. Later stages need not check again. ONNX's operators have no attributes but
/// their own and those called "__...", as in ONNX Runtime; operators that neither ONNX nor ONNX
/// Runtime has are skipped.
/// Throws: Error(InvalidInput) naming the node and the rule.
void checkNodes(const Graph& graph);

}  // namespace temper
