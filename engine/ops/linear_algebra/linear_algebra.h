// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Det and com.microsoft Inverse, of the last two dimensions.
void registerLinearAlgebra(OpSet& ops);

void addLinearAlgebraTypes(OpCatalog& catalog);
void addLinearAlgebraGradients(GradientRules& gradients);
void addLinearAlgebraKernels(KernelRegistry& kernels);

}  // namespace temper
