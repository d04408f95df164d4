// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ir/graph.h"

namespace temper {

/// Integers of attributes count things, name axes or say yes or no. The product of two that are no
/// larger fits into 64 bits.
inline constexpr int64_t kLargestAttribute = int64_t{1} << 31;

/// Checks the integers of a node's attributes before its operator calculates with them. Attributes
/// that may hold any integer (a seed, an end of Slice), and operators of other domains than those
/// of ONNX and ONNX Runtime, check their own.
/// Throws: Error(InvalidInput) saying the attribute, the number and the permitted range.
void requireAttributeRange(const Node& node);

}  // namespace temper
