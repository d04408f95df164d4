// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/proto.h"

namespace temper {

/// Replaces each call of a model-local function by the function's nodes, and removes the functions.
/// Inner names become `<call>/<name>`, where `<call>` is the function's name and a number.
///
/// Nodes of a function with another opset than the model's carry a note, see takeForeignOpset().
///
/// Throws: Error(InvalidInput) for functions that call themselves or multiply without limit.
void inlineFunctions(onnx::ModelProto& model);

}  // namespace temper
