// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// Sizes of outputs may be decided by numbers in the model (the sizes of a Resize, the repeats of
/// a Tile, the shape of an Expand): type inference asks here before anything is made of that size.
/// Dimensions that are open or 0 count as 1: beside them, none is gigantic either.
/// Throws: Error(InvalidInput) naming the value, its type, its bytes and the limit if a tensor of
/// this type is larger than this process can hold.
void requireRoom(const Value& value, const ValueType& type);

}  // namespace temper
