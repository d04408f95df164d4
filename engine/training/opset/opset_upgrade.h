// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// The oldest opset with the operators that gradients need in ONNX Runtime (MaxPoolGrad, Expand,
/// ...).
inline constexpr int64_t kOldestTrainingOpset = 9;

/// Converts a model of opset 7 or 8 to an equivalent one of opset 9; newer or older ones are
/// unchanged.
/// Throws: Error(Unsupported) naming a node whose form opset 9 does not have.
void raiseOpset(Graph& graph);

}  // namespace temper
