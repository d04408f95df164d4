// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/layer_health.h"

#include <algorithm>
#include <cmath>

namespace temper {
namespace {

double meanSize(double norm, int64_t elements) {
    return elements > 0 ? norm / std::sqrt(static_cast<double>(elements)) : 0;
}

double gradientSize(const LayerStatistics& layer) {
    return meanSize(layer.gradientNorm, layer.elements);
}

/// Over the layers that have gradients.
double medianGradient(const std::vector<LayerStatistics>& layers) {
    std::vector<double> sizes;
    for (const LayerStatistics& layer : layers) {
        const double size = gradientSize(layer);
        if (std::isfinite(size) && size > 0) sizes.push_back(size);
    }
    if (sizes.empty()) return 0;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return *middle;
}

bool isFinite(const LayerStatistics& layer) {
    return layer.weights.notFinite == 0 && layer.gradients.notFinite == 0 &&
           std::isfinite(layer.weightNorm) && std::isfinite(layer.gradientNorm) &&
           std::isfinite(layer.updateRatio);
}

LayerHealth healthOf(const LayerStatistics& layer, double median) {
    if (!isFinite(layer)) return LayerHealth::NotFinite;
    if (meanSize(layer.updateRatio * layer.weightNorm, layer.elements) >= kLargeUpdate)
        return LayerHealth::Exploding;
    if (layer.zeroGradients >= kDeadShare) return LayerHealth::Dead;
    if (deadUnitShare(layer) >= kDeadUnits) return LayerHealth::DeadUnits;
    return gradientSize(layer) <= kVanished * median ? LayerHealth::Vanishing : LayerHealth::Good;
}

}  // namespace

double deadUnitShare(const LayerStatistics& layer) {
    return layer.units > 0 ? static_cast<double>(layer.deadUnits) / static_cast<double>(layer.units)
                           : 0;
}

std::vector<LayerHealth> healthOf(const std::vector<LayerStatistics>& layers) {
    const double median = medianGradient(layers);
    std::vector<LayerHealth> result;
    for (const LayerStatistics& layer : layers) result.push_back(healthOf(layer, median));
    return result;
}

}  // namespace temper
