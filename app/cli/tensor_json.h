// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/cli_context.h"
#include "engine/core/tensor.h"
#include "engine/ir/type.h"

namespace temper::cli {

/// A number for a scalar, nested lists for others; at full precision.
Json toJson(const Tensor& tensor);

/// {"name", "dtype", "shape"}; the shape has a number, a symbol's name or null for each dimension,
/// or is null if the rank is unknown.
Json toJson(const std::string& name, const ValueType& type);

}  // namespace temper::cli
