// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/ir/graph.h"

namespace temper {

/// How the bodies of an If, Loop, Scan or SequenceMap do not fit to its inputs and outputs, as what
/// follows "Loop 'l' "; nullopt where they fit, and for other nodes. Attributes are there and of
/// the right kinds. A node has each output that its body makes, as ONNX Runtime demands, whether
/// anything reads it or not.
/// Source: ONNX, Operators.md; Loop, Scan and If of ONNX Runtime 1.19.
std::optional<std::string> bodyProblemOf(const Node& node, int64_t opset);

}  // namespace temper
