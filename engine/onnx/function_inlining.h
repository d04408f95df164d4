// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/proto.h"

namespace temper {

/// Replaces each call of a model-local function by the function's nodes, and forgets the functions.
/// Inner names become `<call>/<name>`, where `<call>` is the function's name and a number.
///
/// Throws: Error(InvalidInput) for functions that call themselves or multiply without end;
/// Error(Unsupported) for functions with another opset version than the model's.
void inlineFunctions(onnx::ModelProto& model);

}  // namespace temper
