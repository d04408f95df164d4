// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/regions/regions.h"

namespace temper {

void registerRegions(OpSet& ops) {
    addRegionTypes(ops.catalog);
    addRegionGradients(ops.gradients);
    addRegionKernels(ops.cpuKernels);
}

}  // namespace temper
