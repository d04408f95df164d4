// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Operators that sample images at places between their elements, or move their elements to other
/// places: Resize, Upsample, GridSample, AffineGrid, RoiAlign, MaxRoiPool, DeformConv, MaxUnpool,
/// Col2Im, CenterCropPad.
void registerSampling(OpSet& ops);

// The parts of registerSampling, by suffix.
void addResizeTypes(OpCatalog& catalog);
void addGridTypes(OpCatalog& catalog);
void addRegionTypes(OpCatalog& catalog);
void addRearrangingTypes(OpCatalog& catalog);
void addDeformConvTypes(OpCatalog& catalog);

void addResizeGradients(GradientRules& rules);
void addGridGradients(GradientRules& rules);
void addRegionGradients(GradientRules& rules);
void addRearrangingGradients(GradientRules& rules);
void addDeformConvGradients(GradientRules& rules);

void addResizeKernels(KernelRegistry& kernels);
void addGridSampleKernels(KernelRegistry& kernels);
void addAffineGridKernels(KernelRegistry& kernels);
void addRegionKernels(KernelRegistry& kernels);
void addRearrangingKernels(KernelRegistry& kernels);
void addDeformConvKernels(KernelRegistry& kernels);

}  // namespace temper
