// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/update/update.h"

namespace temper {

void registerUpdate(OpSet& ops) {
    registerUpdateTypes(ops.catalog);
    registerOptimizerKernels(ops.cpuKernels);
    registerOptimizerStepKernels(ops.cpuKernels);
    registerAccumulatorKernels(ops.cpuKernels);
}

}  // namespace temper
