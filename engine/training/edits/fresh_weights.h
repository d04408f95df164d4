// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/random.h"
#include "engine/core/tensor.h"
#include "engine/ir/graph.h"

namespace temper {

/// Null is not one.
bool isFloatingInitializer(const Value* value);

/// Weights or biases of a layer with this many inputs, uniform in +-1/sqrt(inputs).
/// Source: PyTorch, nn.Linear.reset_parameters() and nn.Conv2d.reset_parameters().
Tensor freshWeights(DType dtype, const Shape& shape, int64_t inputs, Random& random);

/// Nothing if it is null. Throws: Error(InvalidInput) if `parameter` of `layer` ("the head 'fc'")
/// is computed or read elsewhere, so that it can't get another shape.
void requireOwn(const Value* parameter, const std::string& layer);

/// The node's outputs, and what is computed from them, lose their shapes: after a resize they are
/// no longer those that the file declares.
void forgetTypesAfter(const Graph& model, const Node& node);

}  // namespace temper
