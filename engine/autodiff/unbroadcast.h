// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/gradient.h"

namespace temper {

/// Sums `gradient` over the axes along which `target` was broadcast, so that it has target's shape.
/// Axes that the symbolic shapes don't determine are found at run time by BroadcastGradientArgs.
/// Returns `gradient` itself if there is nothing to sum.
///
/// Shapes: gradient [...broadcast], target any shape that broadcasts to it; result as target.
Var sumToShapeOf(Var target, Var gradient);

}  // namespace temper
