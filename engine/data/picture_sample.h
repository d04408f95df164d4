// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/tensor.h"
#include "engine/data/image/image.h"
#include "engine/data/open_data.h"

namespace temper {

/// How the training pictures are drawn, measured on the first of them.
struct StrokeStyle {
    bool isDarkOnLight = false;
    /// Lengths are shares of the picture's longer side. Nine of ten drawings are no wider and no
    /// higher than this.
    double width = 20.0 / 28;
    double height = 20.0 / 28;
    double thickness = 2.2 / 28;  ///< of a stroke: twice its area divided by its outline
    /// The mean place of the drawings, from the middle of the picture to the right and down.
    double right = 0;
    double down = 0;
    /// What is at this place: the centre of mass, or the middle of the bounding box. It is the one
    /// that varies less.
    bool isByMass = true;
};
/// Throws: Error(InvalidInput) if the column does not hold pictures.
StrokeStyle strokeStyleOf(const OpenedData& data, size_t column);

/// A picture from elsewhere, made to look like the training samples: in the column's size and
/// channels, with its bytes in the range of the source's values, then normalized like these.
/// Shapes: [1, ...column shape], float32. Throws: Error(InvalidInput) if the column does not hold
/// pictures.
Tensor pictureAsSample(const Image& picture, const OpenedData& data, size_t column, ImageFit fit);

}  // namespace temper
