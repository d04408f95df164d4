// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/gradient.h"

namespace temper {

/// Sums `gradient` over the axes along which `target` was broadcast, so that it has target's
/// shape. Axes that can't be told from the symbolic shapes are found at run time by
/// BroadcastGradientArgs. Returns `gradient` itself where nothing is to be summed.
///
/// Shapes: gradient [...broadcast], target any shape that broadcasts to it; result as target.
Var sumToShapeOf(Var target, Var gradient);

}  // namespace temper
