// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/reduction/reduction.h"

namespace temper {

void registerReduction(OpSet& ops) {
    registerReductionTypes(ops.catalog);
    registerReductionGradients(ops.gradients);
    registerReductionKernels(ops.cpuKernels);
    registerArgKernels(ops.cpuKernels);
}

}  // namespace temper
