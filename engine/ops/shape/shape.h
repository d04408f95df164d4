// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Reshape, Transpose, Concat, Split, Slice, Pad, ... and sequences: operators that move data
/// without computing with it, and ORT's training forms of them.
void registerShape(OpSet& ops);

// The parts of registerShape, one per suffix.
void addReshapeTypes(OpCatalog& catalog);
void addJoinTypes(OpCatalog& catalog);
void addShapeDataTypes(OpCatalog& catalog);
void addSequenceTypes(OpCatalog& catalog);
void addShapeGradients(GradientRules& rules);
void addPadGradients(GradientRules& rules);
void addReshapeKernels(KernelRegistry& kernels);
void addJoinKernels(KernelRegistry& kernels);
void addPadKernels(KernelRegistry& kernels);
void addShapeDataKernels(KernelRegistry& kernels);
void addSequenceKernels(KernelRegistry& kernels);

}  // namespace temper
