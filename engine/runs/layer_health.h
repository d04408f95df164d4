// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/runs/run_event.h"

namespace temper {

/// What is wrong with a layer's numbers, the worst first.
enum class LayerHealth {
    NotFinite,  ///< weights or gradients hold NaN or infinity
    Exploding,  ///< a step changes weights by kLargeUpdate and more, as a root mean square
    Dead,       ///< nearly all gradients are exactly 0
    DeadUnits,  ///< kDeadUnits of the units and more never have a gradient
    Vanishing,  ///< gradients are kVanished times those of the middle layer, or less
    Good,
};

inline constexpr double kLargeUpdate = 0.1;
inline constexpr double kDeadShare = 0.95;
inline constexpr double kDeadUnits = 0.25;
inline constexpr double kVanished = 1e-4;

/// Of its units; 0 where nothing is known of them.
double deadUnitShare(const LayerStatistics& layer);

/// Of all layers of one look, in their order. Gradients are compared by their root mean square
/// with the median over the layers.
std::vector<LayerHealth> healthOf(const std::vector<LayerStatistics>& layers);

}  // namespace temper
