// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/sampling.h"

namespace temper {

void registerSampling(OpSet& ops) {
    addGridTypes(ops.catalog);
    addDeformConvTypes(ops.catalog);
    addGridGradients(ops.gradients);
    addDeformConvGradients(ops.gradients);
    addGridSampleKernels(ops.cpuKernels);
    addAffineGridKernels(ops.cpuKernels);
    addDeformConvKernels(ops.cpuKernels);
}

}  // namespace temper
