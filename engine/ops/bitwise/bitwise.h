// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// BitShift, BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot.
void registerBitwise(OpSet& ops);

void addBitwiseTypes(OpCatalog& catalog);
void addBitwiseKernels(KernelRegistry& kernels);

}  // namespace temper
