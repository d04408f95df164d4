// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// Concat in the place of each ConcatFromSequence whose sequence is made by known insertions, one
/// tensor at a time: what an unrolled Loop collects. The outputs keep their names.
/// Source: ONNX, docs/Operators.md, SequenceInsert and ConcatFromSequence.
void foldCollectedSequences(Graph& graph);

}  // namespace temper
