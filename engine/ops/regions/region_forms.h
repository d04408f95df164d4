// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ir/graph.h"

namespace temper {

/// The attributes of RoiAlign (opset 10 and 16).
struct RoiAlignForm {
    int64_t height = 1;
    int64_t width = 1;
    int64_t samplingRatio = 0;  ///< samples per bin along an axis; 0: as many as elements
    float spatialScale = 1;
    bool takesMaximum = false;
    bool isHalfPixel = true;

    static RoiAlignForm of(const Node& node, int64_t opset);
};

/// The attributes of MaxRoiPool.
struct MaxRoiPoolForm {
    int64_t height = 1;
    int64_t width = 1;
    float spatialScale = 1;

    static MaxRoiPoolForm of(const Node& node);
};

}  // namespace temper
