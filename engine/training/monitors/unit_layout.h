// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/core/shape.h"
#include "engine/ir/graph.h"

namespace temper {

/// Where the units (neurons, channels) of a layer lie in its weight: along one dimension, or, for
/// groups of a transposed convolution, along one of each part of the first.
struct UnitLayout {
    size_t axis = 0;
    int64_t groups = 1;  ///< parts of the dimensions before the axis that have units of their own

    int64_t count(const Shape& shape) const { return groups * shape[axis]; }
    bool operator==(const UnitLayout&) const = default;
};

/// The layouts of the weights whose units can die: behind them comes, before anything else that
/// mixes units and before the loss, an operator that is exactly flat somewhere, such as Relu. A
/// unit that is flat for all samples has gradients of exactly zero. By the names of the weights;
/// `model` is an eval or training model, whose last layer is none of these. Shapes: Conv [units,
/// ...]; Gemm [inputs, units], or [units, inputs] with transB; MatMul [inputs, units];
/// ConvTranspose [inputs, units of a group, ...].
std::map<std::string, UnitLayout> mortalUnits(const Graph& model);

}  // namespace temper
