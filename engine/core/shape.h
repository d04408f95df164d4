// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace temper {

/// Concrete dimensions, outermost first; empty for a scalar.
using Shape = std::vector<int64_t>;

/// Product of the dimensions, 1 for a scalar.
/// Throws: Error(InvalidInput) if a dimension is negative or the product overflows int64.
int64_t numElements(std::span<const int64_t> shape);

/// Row-major strides in elements.
Shape stridesOf(std::span<const int64_t> shape);

/// NumPy/ONNX multidirectional broadcasting; nullopt if the shapes do not fit.
/// Source: ONNX, docs/Broadcasting.md.
std::optional<Shape> broadcastShapes(std::span<const int64_t> a, std::span<const int64_t> b);

/// "[2, 3, 4]"; "[]" for a scalar.
std::string formatShape(std::span<const int64_t> shape);

/// Maps an axis in [-rank, rank) to [0, rank); a scalar counts as rank 1.
/// Throws: Error(InvalidInput) naming `what` if it is out of range.
int64_t normalizeAxis(int64_t axis, int64_t rank, const std::string& what);

}  // namespace temper
