// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/training/blocks/loss_blocks.h"

namespace temper::blocks {

/// Reduces the losses of the elements to one number, or leaves them as they are.
Value* reduced(BlockModel& model, Value* losses, Reduction reduction);

/// The same with a mean over `weights`: sum of losses / sum of weights. Null: a plain mean.
Value* reducedBy(BlockModel& model, Value* losses, Value* weights, Reduction reduction);

/// A float32 initializer of one dimension.
Value* vectorOf(BlockModel& model, const std::string& token, const std::vector<float>& values);

}  // namespace temper::blocks
