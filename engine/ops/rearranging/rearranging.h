// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Operators that move the elements of images to other places: MaxUnpool, Col2Im, CenterCropPad.
void registerRearranging(OpSet& ops);

// Its parts, by suffix.
void addRearrangingTypes(OpCatalog& catalog);
void addRearrangingGradients(GradientRules& rules);
void addRearrangingKernels(KernelRegistry& kernels);

}  // namespace temper
