// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

/// Whether the node compares logits or log-probabilities, input 0, with classes, input 1.
bool isClassLoss(const Node& node);
/// The label that such a node does not count.
std::optional<int64_t> ignoredLabelOf(const Node& node);

/// The model's own value: a transposition that moves the classes to axis 1 belongs to the loss.
const Value* beforeTransposition(const Value* logits);

}  // namespace temper
