// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/tensor.h"
#include "engine/data/image/image.h"
#include "engine/data/open_data.h"

namespace temper {

/// How the training pictures are drawn, measured on the first of them.
struct StrokeStyle {
    bool isDarkOnLight = false;
    double size = 20.0 / 28;      ///< of what is drawn, as a share of the picture's longer side
    double thickness = 2.2 / 28;  ///< of a stroke: twice its area by its outline
};
/// Throws: Error(InvalidInput) where the column holds no pictures.
StrokeStyle strokeStyleOf(const OpenedData& data, size_t column);

/// A picture from outside as the training samples look: in the column's size and channels, its
/// bytes in the range of the source's values, then normalised as these are.
/// Shapes: [1, ...column shape], float32. Throws: Error(InvalidInput) where the column holds no
/// pictures.
Tensor pictureAsSample(const Image& picture, const OpenedData& data, size_t column, ImageFit fit);

/// Strokes of light on dark, cut out, brought to `size` (as a share of the longer side) and put
/// into the middle of a square: by their centre of mass as far as they fit. Empty where nothing is
/// drawn. Source: LeCun, Cortes, Burges, "The MNIST database of handwritten digits".
Image centred(const Image& strokes, double size);

}  // namespace temper
