// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/core/shape.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/loss/loss_info.h"

namespace temper {

/// What the shape of labels implies if it does not fit logits with classes along axis 1: that the
/// classes are along the last axis, or that the labels are sequences shorter than the prediction.
/// `model` computes the loss; `shapes` are those of whole batches, by the names of its inputs.
/// Absent if the labels fit, if too little is known, or if neither explains them.
std::optional<LossObjection> objectionToLabels(const Graph& model, const OpCatalog& catalog,
                                               const LossInfo& loss,
                                               const std::map<std::string, Shape>& shapes);

/// Both ways to read labels that fit classes along axis 1, which the loss reads, as well as along
/// the last axis: logits [N, 5, 5] with labels [N, 5]. Absent if only one of them is possible.
std::optional<LossObjection> doubtAboutLabels(const Graph& model, const OpCatalog& catalog,
                                              const LossInfo& loss,
                                              const std::map<std::string, Shape>& shapes);

}  // namespace temper
