// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// ReduceSum, ReduceMean and their relatives, ArgMax, ArgMin, CumSum; ORT's ReduceSumTraining and
/// ReduceAllL2.
void registerReduction(OpSet& ops);

void registerReductionTypes(OpCatalog& catalog);
void registerReductionGradients(GradientRules& rules);
void registerReductionKernels(KernelRegistry& kernels);
void registerArgKernels(KernelRegistry& kernels);

}  // namespace temper
