// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/linear_algebra/linear_algebra.h"

namespace temper {

void registerLinearAlgebra(OpSet& ops) {
    addLinearAlgebraTypes(ops.catalog);
    addLinearAlgebraGradients(ops.gradients);
    addLinearAlgebraKernels(ops.cpuKernels);
}

}  // namespace temper
