// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/indexing/indexing.h"

namespace temper {

void registerIndexing(OpSet& ops) {
    addIndexingTypes(ops.catalog);
    addIndexingGradients(ops.gradients);
    addGatherKernels(ops.cpuKernels);
    addScatterKernels(ops.cpuKernels);
    addSelectionKernels(ops.cpuKernels);
    addDataDependentEvaluators(ops.cpuKernels);
}

}  // namespace temper
