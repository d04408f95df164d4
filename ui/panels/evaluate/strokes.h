// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QPolygonF>
#include <vector>

#include "engine/data/picture_sample.h"

namespace temper::ui {

/// A line drawn by hand. Units: shares of the side of a square; (0, 0) is its top left corner.
struct Stroke {
    QPolygonF points;  ///< one for a dot
    double width = 0;
};

/// The strokes in the size and at the place of the training pictures' drawings, as far as they fit
/// into the square. Their widths stay, so that small drawings do not get bold.
std::vector<Stroke> placedLikeData(std::vector<Stroke> strokes, const StrokeStyle& style);

/// White on black, [side x side], 8 bits of grey.
QImage paintStrokes(const std::vector<Stroke>& strokes, int side);

}  // namespace temper::ui
