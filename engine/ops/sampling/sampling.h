// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Operators that sample images at computed places between their elements: GridSample, AffineGrid,
/// DeformConv.
void registerSampling(OpSet& ops);

// Its parts, by suffix.
void addGridTypes(OpCatalog& catalog);
void addDeformConvTypes(OpCatalog& catalog);
void addGridGradients(GradientRules& rules);
void addDeformConvGradients(GradientRules& rules);
void addGridSampleKernels(KernelRegistry& kernels);
void addAffineGridKernels(KernelRegistry& kernels);
void addDeformConvKernels(KernelRegistry& kernels);

}  // namespace temper
