// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/sampling.h"

namespace temper {

void registerSampling(OpSet& ops) {
    addResizeTypes(ops.catalog);
    addResizeGradients(ops.gradients);
    addResizeKernels(ops.cpuKernels);
}

}  // namespace temper
