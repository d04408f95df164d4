// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/ops/op_set.h"

namespace temper {

/// ORT's operators that write to parameters and gradients in place: optimizers, clipping by the
/// norm, gradient accumulation; and its pass-through operators.
void registerUpdate(OpSet& ops);

/// What a rule of temper.OptimizerStep does, as far as models of the same optimizer have to know.
struct OptimizerRule {
    size_t moments;       ///< 1 or 2
    bool decaysGradient;  ///< weight decay is added to the gradient instead of the weights' change
    bool needsWholeParameters;  ///< for their norms
};
/// `name` is that of the attribute "rule".
std::optional<OptimizerRule> optimizerRule(std::string_view name);

void registerUpdateTypes(OpCatalog& catalog);
void registerOptimizerKernels(KernelRegistry& kernels);
void registerOptimizerStepKernels(KernelRegistry& kernels);
void registerAccumulatorKernels(KernelRegistry& kernels);

}  // namespace temper
