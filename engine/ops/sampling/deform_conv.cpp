// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/sampling/deform_conv.h"

#include "engine/ops/conv/conv.h"

namespace temper {

int64_t DeformGeometry::position(size_t axis, int64_t tap, int64_t place) const {
    const int64_t k = axis == 0 ? tap / axes[1].kernel : tap % axes[1].kernel;
    const int64_t o = axis == 0 ? place / axes[1].output : place % axes[1].output;
    return axes[axis].start(o) + k * axes[axis].dilation;
}

DeformGeometry DeformGeometry::of(const Node& node, const Shape& image, const Shape& weights) {
    const WindowAttributes window = convWindow(node, symbolicShape(weights));
    const auto axes = windowAxes(window, std::span(image).subspan(2));
    return {image.at(0),
            image.at(1),
            weights.at(0),
            node.attribute<int64_t>("group", 1),
            node.attribute<int64_t>("offset_group", 1),
            {axes.at(0), axes.at(1)}};
}

}  // namespace temper
