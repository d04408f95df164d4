// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/autodiff/gradient.h"

namespace temper {

/// The axes first, ..., rank - 1.
std::vector<int64_t> axesFrom(int64_t first, int64_t rank);

/// The rank of the node's first input. Throws: Error(Unsupported) if it is unknown.
int64_t rankOf(const GradientContext& context);

/// [channels] as [channels, 1, ...], to be combined with [batch, channels, ...] of `rank`
/// dimensions.
Var perChannel(Var channels, int64_t rank);

/// The sum of [batch, channels, ...] over all dimensions but the channels: [channels].
Var channelSum(Var x);

}  // namespace temper
