// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/training/analysis/predictor.h"

namespace temper {

/// How parts of a picture are covered to find those that a prediction rests on.
struct OcclusionOptions {
    int64_t patch = 0;   ///< side of the square that is covered; 0: about a quarter of the picture
    int64_t stride = 0;  ///< between squares; 0: half of the patch
    bool channelsLast = false;
    std::function<bool()> cancelled = {};
};

/// How much the probability of class `output` (or the value) falls when a square of the picture is
/// covered by its mean colour, averaged over the squares that cover a pixel. `inputs` hold one
/// sample; input `index` is [1, C, H, W], [1, H, W, C] or [1, H, W]. Shapes: float32 [H, W].
/// Source: Zeiler & Fergus, "Visualizing and Understanding Convolutional Networks" (2014).
Tensor occlusionMap(Predictor& predictor, std::span<const Tensor> inputs, size_t index,
                    int64_t output, const OcclusionOptions& options = {});

}  // namespace temper
