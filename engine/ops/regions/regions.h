// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Operators over regions of interest: RoiAlign and MaxRoiPool.
void registerRegions(OpSet& ops);

// Its parts, by suffix.
void addRegionTypes(OpCatalog& catalog);
void addRegionGradients(GradientRules& rules);
void addRegionKernels(KernelRegistry& kernels);

}  // namespace temper
