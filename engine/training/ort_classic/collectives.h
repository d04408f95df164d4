// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/distributed/group.h"
#include "engine/ops/op_set.h"

namespace temper::classic {

/// Adds the operators of tensors that ranks share out, ONNX Runtime's by name and meaning:
/// MegatronF copies its input and adds up the gradient over the ranks, MegatronG adds up its input
/// over the ranks and copies the gradient. Sums have a fixed order. The kernels use the group,
/// which has to outlive them; all ranks run the same nodes in the same order. Source: Shoeybi et
/// al., Megatron-LM (2019), section 3; spec/training_ops.md.
void addCollectives(OpSet& ops, Group& ranks);

inline constexpr const char* kCopyForward = "MegatronF";
inline constexpr const char* kSumForward = "MegatronG";

}  // namespace temper::classic
