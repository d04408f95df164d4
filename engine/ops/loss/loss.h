// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/ops/op_set.h"

namespace temper {

/// SoftmaxCrossEntropyLoss and NegativeLogLikelihoodLoss; ORT's internal forms and backward
/// operators.
void registerLoss(OpSet& ops);

void registerLossTypes(OpCatalog& catalog);
void registerLossGradients(GradientRules& rules);
void registerLossKernels(KernelRegistry& kernels);
void registerLossGradKernels(KernelRegistry& kernels);

enum class LossReduction { None, Sum, Mean };

/// Throws: Error(InvalidInput) naming the node for anything but "none", "sum" and "mean".
LossReduction lossReduction(const Node& node);

/// The label that is ignored. If neither attribute nor input gives one, ORT's kernels use -1, which
/// is no class.
int64_t ignoredLabel(const Node& node);

}  // namespace temper
