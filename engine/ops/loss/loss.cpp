// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/loss/loss.h"

namespace temper {

LossReduction lossReduction(const Node& node) {
    const auto name = node.attribute<std::string>("reduction", "mean");
    if (name == "none") return LossReduction::None;
    if (name == "sum") return LossReduction::Sum;
    if (name == "mean") return LossReduction::Mean;
    Error error(ErrorCode::InvalidInput,
                "Attribute 'reduction' is '" + name + "'; expected 'none', 'sum' or 'mean'.");
    error.addContext(node.describe());
    throw error;
}

int64_t ignoredLabel(const Node& node) { return node.attribute<int64_t>("ignore_index", -1); }

void registerLoss(OpSet& ops) {
    registerLossTypes(ops.catalog);
    registerLossGradients(ops.gradients);
    registerLossKernels(ops.cpuKernels);
    registerLossGradKernels(ops.cpuKernels);
}

}  // namespace temper
