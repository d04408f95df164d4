// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/ir/graph.h"

namespace temper {

/// How the bodies of an If, Loop, Scan or SequenceMap do not fit to its inputs and outputs, as what
/// follows "Loop 'l' "; nullopt where they fit, and for other nodes. Attributes are there and of
/// the right kinds. A node may leave out outputs at the end.
/// Source: ONNX, Operators.md.
std::optional<std::string> bodyProblemOf(const Node& node, int64_t opset);

}  // namespace temper
