// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// Numbers in the model may decide the sizes of outputs (the sizes of a Resize, the repeats of a
/// Tile, the shape of an Expand): type inference calls this before anything of that size is made.
/// Dimensions that are open or 0 count as 1: the others must not be gigantic either. Elements of an
/// unknown type count as one byte.
/// Throws: Error(InvalidInput) naming the value, its type, its bytes and the limit if a tensor of
/// this type is larger than this process can hold.
void requireRoom(const Value& value, const ValueType& type);

}  // namespace temper
