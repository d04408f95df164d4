// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// ORT's operators that write to parameters and gradients in place: optimizers, clipping by the
/// norm, gradient accumulation; and its pass-through operators.
void registerUpdate(OpSet& ops);

void registerUpdateTypes(OpCatalog& catalog);
void registerOptimizerKernels(KernelRegistry& kernels);
void registerAccumulatorKernels(KernelRegistry& kernels);

}  // namespace temper
