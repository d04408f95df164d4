// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// How GridSample finds the value between elements.
enum class GridMode { Nearest, Linear, Cubic };

/// What is outside the image.
enum class GridPadding { Zeros, Border, Reflection };

/// The attributes of GridSample (opset 16 and 20).
struct GridForm {
    GridMode mode = GridMode::Linear;
    GridPadding padding = GridPadding::Zeros;
    bool alignsCorners = false;

    /// Throws: Error(InvalidInput) if an attribute is not one of ONNX's values.
    static GridForm of(const Node& node);

    /// Elements along an axis that contribute to a value.
    int taps() const { return mode == GridMode::Nearest ? 1 : (mode == GridMode::Linear ? 2 : 4); }
};

/// Weights of the elements floor(x) + kFirst ... along an axis as polynomials of the fraction t of
/// x: weight k is the sum over powers p of coefficients[p][k] * t^p.
struct TapPolynomials {
    int first = 0;                                           ///< element of tap 0, from floor(x)
    std::array<std::array<double, 4>, 4> coefficients = {};  ///< [power][tap]

    static TapPolynomials of(GridMode mode);
};

/// Coordinates of the elements along an axis between -1 and 1, as AffineGrid computes them.
std::vector<double> gridCoordinates(int64_t size, bool alignsCorners);

}  // namespace temper
