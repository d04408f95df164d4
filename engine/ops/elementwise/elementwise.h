// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Arithmetic, comparison, logic, rounding, trigonometry, Cast, Clip, Where, n-ary Min, Max, Sum
/// and Mean; ORT's DivGrad, Scale, ScaledSum and BatchScale.
void registerElementwise(OpSet& ops);

void registerElementwiseTypes(OpCatalog& catalog);
void registerElementwiseGradients(GradientRules& rules);
void registerUnaryKernels(KernelRegistry& kernels);
void registerArithmeticKernels(KernelRegistry& kernels);
void registerNaryKernels(KernelRegistry& kernels);
void registerComparisonKernels(KernelRegistry& kernels);
void registerCastKernels(KernelRegistry& kernels);
void registerScalingKernels(KernelRegistry& kernels);

}  // namespace temper
