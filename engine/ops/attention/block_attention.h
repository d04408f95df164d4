// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// The operators of engine/ir/block_attention.h.
void registerBlockAttentionTypes(OpCatalog& catalog);
void registerBlockAttentionKernels(KernelRegistry& kernels);

}  // namespace temper
