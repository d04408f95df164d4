// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/elementwise/elementwise.h"

namespace temper {

void registerElementwise(OpSet& ops) {
    registerElementwiseTypes(ops.catalog);
    registerElementwiseGradients(ops.gradients);
    registerUnaryKernels(ops.cpuKernels);
    registerArithmeticKernels(ops.cpuKernels);
    registerNaryKernels(ops.cpuKernels);
    registerComparisonKernels(ops.cpuKernels);
    registerCastKernels(ops.cpuKernels);
    registerScalingKernels(ops.cpuKernels);
}

}  // namespace temper
