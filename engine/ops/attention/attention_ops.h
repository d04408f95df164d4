// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Attention of ONNX's opsets 23 to 25: written as the products, the mask and the softmax that it
/// stands for.
void registerAttentionOps(OpSet& ops);

}  // namespace temper
