// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/training/session/input_normalization.h"

namespace temper {

/// Lets a model take values as their source has them: nodes after each of these inputs compute
/// (value - mean) / deviation. Inputs that the model does not have are left out.
/// Returns: the inputs that it was done for. Throws: Error(Unsupported) naming an input that bodies
/// of nodes read, or whose type is not float32.
InputNormalizations addNormalizationNodes(Graph& model, const InputNormalizations& inputs);

}  // namespace temper
