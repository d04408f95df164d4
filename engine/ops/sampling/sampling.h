// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Resize, Upsample and other operators that sample images at places between their elements or
/// move them to other places.
void registerSampling(OpSet& ops);

// The parts of registerSampling, one per suffix.
void addResizeTypes(OpCatalog& catalog);
void addResizeGradients(GradientRules& rules);
void addResizeKernels(KernelRegistry& kernels);

}  // namespace temper
