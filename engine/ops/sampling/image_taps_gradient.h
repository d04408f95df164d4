// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/autodiff/gradient.h"
#include "engine/ops/sampling/grid_form.h"

namespace temper {

// Sampling in terms of operators, for gradients with respect to the image and to the positions.
// Shapes: N images of C channels, Q positions in each, K taps along an axis.

/// The taps of a position along one axis of the image.
struct AxisTaps {
    Var index;   ///< int64 [N, Q, K], inside the image
    Var weight;  ///< [N, Q, K]; 0 for elements outside that count as zeros
    Var slope;   ///< d weight / d coordinate, [N, Q, K]
};

/// Taps at normalized coordinates [N, Q, 1], as GridSample reads them. `size`: elements along the
/// axis, an int64 [1].
AxisTaps gridTaps(const GridForm& form, Var normalized, Var size);

/// Linear taps at positions [N, Q, 1] counted in elements; zeros outside.
AxisTaps positionTaps(Var position, Var size);

/// Samples of images [N, elements, C].
class ImageTaps {
public:
    /// One entry of `axes` and `sizes` (int64 [1]) per axis of the image, outermost first.
    ImageTaps(Var images, std::vector<AxisTaps> axes, const std::vector<Var>& sizes);

    /// The samples, [N, Q, C].
    Var values() const;
    /// The gradient of the images, for a gradient [N, Q, C] of the samples.
    Var imageGradient(Var dy) const;
    /// The gradients of the coordinates, [N, Q] for each axis.
    std::vector<Var> coordinateGradients(Var dy) const;

private:
    /// [N, Q, K] with its taps at the place of this axis among all tap axes.
    Var placed(Var taps, size_t axis) const;
    /// Product over the axes of weights, or of the slope for axis `sloped`.
    Var product(size_t sloped) const;
    std::vector<int64_t> tapAxes() const;
    /// Number of the first line of each image, int64 [N, 1, ...].
    Var firstLines() const;
    Var gathered() const;

    Var images_;
    std::vector<AxisTaps> axes_;
    Var lines_;  ///< [N * elements, C]
    Var index_;  ///< int64 [N, Q, K, ...]
};

}  // namespace temper
