// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/ir/graph.h"

namespace temper {

/// How the bodies of an If, Loop, Scan or SequenceMap contradict its inputs and outputs, as the
/// text that follows "Loop 'l' "; nullopt if they fit, and for other nodes. Requires attributes to
/// be present and of the right kinds. A node has each output that its body makes, as ONNX Runtime
/// demands, whether or not anything reads it.
/// Source: ONNX, Operators.md; Loop, Scan and If of ONNX Runtime 1.19.
std::optional<std::string> bodyProblemOf(const Node& node, int64_t opset);

}  // namespace temper
