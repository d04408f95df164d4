// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// For interfaces that take and return arrays only.
/// Throws: Error(Unsupported) if an input is a sequence or an optional.
void requireTensorInputs(const Graph& graph);
/// Throws: the same for an output.
void requireTensorOutput(const Value& output);
void requireTensorOutputs(const Graph& graph);

}  // namespace temper
