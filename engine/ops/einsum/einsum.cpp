// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/einsum/einsum.h"

namespace temper {

void registerEinsum(OpSet& ops) {
    addEinsumTypes(ops.catalog);
    addEinsumGradients(ops.gradients);
    addEinsumCpuKernels(ops.cpuKernels);
}

}  // namespace temper
