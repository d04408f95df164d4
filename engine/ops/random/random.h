// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Dropout and its backward operator, RandomNormal, RandomUniform, their Like forms, Bernoulli
/// and Multinomial.
void registerRandom(OpSet& ops);

void registerRandomTypes(OpCatalog& catalog);
void registerRandomGradients(GradientRules& rules);
void registerDropoutKernels(KernelRegistry& kernels);
void registerGeneratorKernels(KernelRegistry& kernels);

}  // namespace temper
