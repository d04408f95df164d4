// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/runs/run_event.h"

namespace temper {

/// What is wrong with a layer's numbers, worst first.
enum class LayerHealth {
    NotFinite,  ///< weights or gradients hold NaN or infinity
    Exploding,  ///< a step changes weights by kLargeUpdate or more, as a root mean square
    Dead,       ///< nearly all gradients are exactly 0
    DeadUnits,  ///< kDeadUnits or more of the units never have a gradient
    Vanishing,  ///< gradients are kVanished times those of the middle layer, or less
    Good,
};

inline constexpr double kLargeUpdate = 0.1;
inline constexpr double kDeadShare = 0.95;
inline constexpr double kDeadUnits = 0.25;
inline constexpr double kVanished = 1e-4;

/// Share of the layer's units that are dead; 0 if unknown.
double deadUnitShare(const LayerStatistics& layer);

/// Of all layers at one look, in their order. The root mean square of a layer's gradients is
/// compared with the median over the layers.
std::vector<LayerHealth> healthOf(const std::vector<LayerStatistics>& layers);

}  // namespace temper
