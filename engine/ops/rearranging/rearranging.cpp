// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/rearranging/rearranging.h"

namespace temper {

void registerRearranging(OpSet& ops) {
    addRearrangingTypes(ops.catalog);
    addRearrangingGradients(ops.gradients);
    addRearrangingKernels(ops.cpuKernels);
}

}  // namespace temper
