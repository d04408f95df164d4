// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/random/random.h"

namespace temper {

void registerRandom(OpSet& ops) {
    registerRandomTypes(ops.catalog);
    registerRandomGradients(ops.gradients);
    registerDropoutKernels(ops.cpuKernels);
    registerGeneratorKernels(ops.cpuKernels);
}

}  // namespace temper
