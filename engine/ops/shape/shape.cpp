// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/shape/shape.h"

namespace temper {

void registerShape(OpSet& ops) {
    addReshapeTypes(ops.catalog);
    addJoinTypes(ops.catalog);
    addShapeDataTypes(ops.catalog);
    addSequenceTypes(ops.catalog);
    addShapeGradients(ops.gradients);
    addReshapeKernels(ops.cpuKernels);
    addJoinKernels(ops.cpuKernels);
    addPadKernels(ops.cpuKernels);
    addShapeDataKernels(ops.cpuKernels);
    addSequenceKernels(ops.cpuKernels);
}

}  // namespace temper
