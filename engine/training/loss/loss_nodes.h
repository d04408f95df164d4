// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Whether the node has a name such as `onnx::Sub::2`, as nodes of losses have, ours and ORT's.
bool hasLossName(const Node& node);

/// The nodes between the first graph output, which is the loss, and the model, in the order of
/// definition.
std::vector<const Node*> lossNodes(const Graph& model);

/// The node that computes the value, if it is of this operator; else null, also for null.
const Node* producerOf(const Value* value, std::string_view opType);

}  // namespace temper
