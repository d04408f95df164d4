// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/ops/op_set.h"

namespace temper {

/// ORT's operators that write to parameters and gradients in place: optimizers, clipping by the
/// norm, gradient accumulation; and its pass-through operators.
void registerUpdate(OpSet& ops);

/// Domain of the operators that are Temper's own.
inline constexpr std::string_view kTemperDomain = "temper";

void registerUpdateTypes(OpCatalog& catalog);
void registerOptimizerKernels(KernelRegistry& kernels);
void registerOptimizerStepKernels(KernelRegistry& kernels);
void registerAccumulatorKernels(KernelRegistry& kernels);

}  // namespace temper
