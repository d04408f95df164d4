// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/tensor.h"
#include "engine/data/image/image.h"
#include "engine/data/open_data.h"

namespace temper {

/// How the training pictures are drawn, measured on the first of them.
struct StrokeStyle {
    bool isDarkOnLight = false;
    double size = 20.0 / 28;      ///< of the drawing, as a share of the picture's longer side
    double thickness = 2.2 / 28;  ///< of a stroke: twice its area divided by its outline
};
/// Throws: Error(InvalidInput) if the column does not hold pictures.
StrokeStyle strokeStyleOf(const OpenedData& data, size_t column);

/// A picture from elsewhere, made to look like the training samples: in the column's size and
/// channels, with its bytes in the range of the source's values, then normalized like these.
/// Shapes: [1, ...column shape], float32. Throws: Error(InvalidInput) if the column does not hold
/// pictures.
Tensor pictureAsSample(const Image& picture, const OpenedData& data, size_t column, ImageFit fit);

/// Light strokes on dark, cut out, scaled to `size` (as a share of the longer side) and put into
/// the middle of a square: by their centre of mass as far as they fit. Empty if nothing is drawn.
/// Source: LeCun, Cortes, Burges, "The MNIST database of handwritten digits".
Image centred(const Image& strokes, double size);

}  // namespace temper
