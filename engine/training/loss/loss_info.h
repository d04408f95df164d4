// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// What the loss of an eval (or training) model reads, derived from its nodes.
struct LossInfo {
    /// What metrics need to know: "cross-entropy" (logits against classes, whatever the options),
    /// "mse", "l1", "bce-with-logits", "regression" (another loss of numbers against numbers of the
    /// same shape), or "custom".
    std::string kind;
    std::string loss;  ///< name of the loss value
    /// Logits with their classes along axis 1, or predicted values; empty for "custom". A value of
    /// the model, or what the loss derived from it to move the classes to axis 1: `predictions` has
    /// the model's own.
    std::string prediction;
    std::string target;                    ///< target input; empty for "custom"
    std::vector<std::string> predictions;  ///< values of the model that the loss reads
    std::vector<std::string> targets;      ///< graph inputs that only the loss reads
    std::optional<int64_t> ignoredLabel;   ///< of "cross-entropy"
    /// Of "cross-entropy" whose labels are the next tokens: the value that holds them and the input
    /// that they are made from, which the model may also read. Else empty; then there is a target.
    std::string labels;
    std::string tokens;
    std::optional<int64_t> padToken;  ///< a token that is not a label
};

/// Recognizes losses, ours and ORT's, before the first graph output. Their nodes have names such as
/// `onnx::Sub::2`; if they have others, e.g. in a model that computes its loss itself, only the
/// plain forms of the first four kinds are recognized.
LossInfo describeLoss(const Graph& model);

}  // namespace temper
