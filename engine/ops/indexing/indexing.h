// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Gather, Scatter, OneHot, TopK and relatives: operators that address elements by indices, and
/// ORT's gradients of them.
void registerIndexing(OpSet& ops);

// The parts of registerIndexing, one per suffix.
void addIndexingTypes(OpCatalog& catalog);
void addIndexingGradients(GradientRules& rules);
void addScatterGradients(GradientRules& rules);
void addGatherKernels(KernelRegistry& kernels);
void addScatterKernels(KernelRegistry& kernels);
void addSelectionKernels(KernelRegistry& kernels);
void addDataDependentEvaluators(KernelRegistry& kernels);

}  // namespace temper
