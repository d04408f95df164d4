// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/training/name_counter.h"
#include "engine/training/training_spec.h"

namespace temper {

/// What a loss node group reads and makes.
struct LossValues {
    Value* loss = nullptr;    ///< float32 scalar
    Value* target = nullptr;  ///< graph input
};

/// Why a loss can not read this prediction (unknown loss, element type, rank); absent where it can.
std::optional<Finding> checkLoss(const Selection& loss, const Value& prediction);

/// Default name of the target input: "labels" for cross entropy, else "target".
std::string defaultTargetName(const std::string& loss);

/// Adds the nodes of a built-in loss, and the target input `targetName` where the graph has none.
///
/// cross-entropy: logits [N, C, d1, ...] and int64 labels [N, d1, ...], mean of -log softmax.
/// mse, l1: mean of squares or absolute values of prediction - target.
/// bce-with-logits: mean of softplus(x) - x * t, which is -t log s(x) - (1-t) log(1 - s(x)).
/// Source: spec/artifacts.md section 5, names included; bce in its stable form.
LossValues appendLoss(Graph& graph, const OpCatalog& catalog, const Selection& loss,
                      Value* prediction, const std::string& targetName, NameCounter& names);

/// What the loss of an eval (or training) model reads, told from its nodes.
struct LossInfo {
    std::string kind;        ///< key of lossChoices(), or "custom"
    std::string loss;        ///< name of the loss value
    std::string prediction;  ///< logits or predicted values; empty where not recognised
    std::string target;      ///< target input; empty where not recognised
};
/// Recognises the built-in losses, ours and ORT's, in front of the first graph output.
LossInfo describeLoss(const Graph& model);

}  // namespace temper
