// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/pooling/pooling.h"

#include "engine/ops/pooling/windows.h"

namespace temper {
namespace {

/// Taps of the window that are inside the input or its padding.
int64_t paddedTaps(const WindowAxis& axis, int64_t output) {
    const int64_t start = axis.start(output);
    const int64_t end = std::min(start + axis.extent(), axis.input + axis.padEnd);
    return TapRange{start, end, axis.dilation}.count();
}

}  // namespace

PoolAttributes PoolAttributes::of(const Node& node) {
    return {WindowAttributes::of(node), node.attribute<int64_t>("count_include_pad", 0) != 0,
            node.attribute<int64_t>("storage_order", 0) != 0, node.attribute<int64_t>("p", 2)};
}

PoolGeometry PoolGeometry::of(const WindowAttributes& window, const Shape& image) {
    const Shape spatial(image.begin() + 2, image.end());
    const std::vector<WindowAxis> axes = windowAxes(window, spatial);
    PoolGeometry geometry;
    geometry.planes = image[0] * image[1];
    std::copy(axes.begin(), axes.end(), geometry.axes.end() - static_cast<int64_t>(axes.size()));
    return geometry;
}

std::vector<int64_t> averageDivisors(const PoolGeometry& geometry, bool countIncludePad) {
    const auto& [depth, height, width] = geometry.axes;
    const auto taps = [&](const WindowAxis& axis, int64_t output) {
        return countIncludePad ? paddedTaps(axis, output) : TapRange::of(axis, output).count();
    };
    std::vector<int64_t> divisors;
    for (int64_t od = 0; od < depth.output; ++od) {
        for (int64_t oh = 0; oh < height.output; ++oh) {
            for (int64_t ow = 0; ow < width.output; ++ow)
                divisors.push_back(taps(depth, od) * taps(height, oh) * taps(width, ow));
        }
    }
    return divisors;
}

void registerPooling(OpSet& ops) {
    addPoolingTypes(ops.catalog);
    addPoolingGradients(ops.gradients);
    addPoolingCpuKernels(ops.cpuKernels);
}

}  // namespace temper
