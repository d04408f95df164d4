// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ops/op_set.h"

namespace temper {

/// Experimental operators that ONNX has dropped and that old models still have: Affine, Crop,
/// ImageScaler, ParametricSoftplus, Scale, ScaledTanh. They are lowered to current operators.
/// Source: ONNX 1.2, docs/Operators.md, experimental operators.
void registerLegacy(OpSet& ops);

/// What Crop keeps of images [N, C, H, W].
struct CropWindow {
    int64_t left = 0;
    int64_t top = 0;
    int64_t right = 0;   ///< columns cut off
    int64_t bottom = 0;  ///< rows cut off
    int64_t height = 0;  ///< 0: what the borders leave
    int64_t width = 0;

    /// Throws: Error(InvalidInput) if a list has a wrong length or holds negative numbers.
    static CropWindow of(const Node& node);
};

void inferCrop(InferenceContext& context);
void inferImageScaler(InferenceContext& context);

}  // namespace temper
