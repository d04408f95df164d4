// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// The oldest opset that has the operators of gradients (MaxPoolGrad, Expand, ...) in ONNX Runtime.
inline constexpr int64_t kOldestTrainingOpset = 9;

/// Writes a model of opset 7 or 8 as one of opset 9, which says the same; a newer or older one
/// stays as it is.
/// Throws: Error(Unsupported) naming a node whose form opset 9 does not have.
void raiseOpset(Graph& graph);

}  // namespace temper
