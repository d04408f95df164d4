// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Einsum, with ellipsis, repeated letters, implicit output and any number of operands.
void registerEinsum(OpSet& ops);

void addEinsumTypes(OpCatalog& catalog);
void addEinsumGradients(GradientRules& gradients);
void addEinsumCpuKernels(KernelRegistry& kernels);

}  // namespace temper
