// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "engine/core/shape.h"
#include "engine/ir/graph.h"
#include "engine/ops/window.h"

namespace temper {

/// The sizes of a DeformConv of images [batch, channels, H, W].
struct DeformGeometry {
    int64_t batch = 0;
    int64_t channels = 0;
    int64_t features = 0;
    int64_t group = 1;
    int64_t offsetGroup = 1;
    std::array<WindowAxis, 2> axes;

    int64_t taps() const { return axes[0].kernel * axes[1].kernel; }
    int64_t places() const { return axes[0].output * axes[1].output; }
    int64_t plane() const { return axes[0].input * axes[1].input; }
    /// Position along an axis of tap `tap` for place `place`, before the offset is added.
    int64_t position(size_t axis, int64_t tap, int64_t place) const;

    static DeformGeometry of(const Node& node, const Shape& image, const Shape& weights);
};

}  // namespace temper
