// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Attention of ONNX's opsets 23 to 25, FlexAttention, LinearAttention, CausalConvWithState and
/// TensorScatter: lowered to the products, masks, softmax and loops that they stand for.
void registerAttentionOps(OpSet& ops);

void registerFlexAttention(OpSet& ops);
void registerLinearAttention(OpSet& ops);
void registerStateOps(OpSet& ops);

}  // namespace temper
