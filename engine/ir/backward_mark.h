// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace temper {

/// Files have no field for Node::isBackward(): ONNX Runtime, and so Temper, writes the doc string
/// "Backward pass" to such nodes. Only these two functions know it.

/// The doc string to write for a node.
std::string fileDocString(const Node& node);

/// Stores a node's doc string from a file.
void readFileDocString(NodeSpec& spec, std::string text);

}  // namespace temper
