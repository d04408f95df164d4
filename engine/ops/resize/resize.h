// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Resize and Upsample.
void registerResize(OpSet& ops);

// Its parts, by suffix.
void addResizeTypes(OpCatalog& catalog);
void addResizeGradients(GradientRules& rules);
void addResizeKernels(KernelRegistry& kernels);

}  // namespace temper
