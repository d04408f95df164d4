// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/sampling.h"

namespace temper {

void registerSampling(OpSet& ops) {
    addResizeTypes(ops.catalog);
    addGridTypes(ops.catalog);
    addRegionTypes(ops.catalog);
    addRearrangingTypes(ops.catalog);
    addDeformConvTypes(ops.catalog);
    addResizeGradients(ops.gradients);
    addGridGradients(ops.gradients);
    addRegionGradients(ops.gradients);
    addRearrangingGradients(ops.gradients);
    addDeformConvGradients(ops.gradients);
    addResizeKernels(ops.cpuKernels);
    addGridSampleKernels(ops.cpuKernels);
    addAffineGridKernels(ops.cpuKernels);
    addRegionKernels(ops.cpuKernels);
    addRearrangingKernels(ops.cpuKernels);
    addDeformConvKernels(ops.cpuKernels);
}

}  // namespace temper
