// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/resize/resize.h"

namespace temper {

void registerResize(OpSet& ops) {
    addResizeTypes(ops.catalog);
    addResizeGradients(ops.gradients);
    addResizeKernels(ops.cpuKernels);
}

}  // namespace temper
