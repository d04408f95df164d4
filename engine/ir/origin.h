// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// Whether the first output has the numbers of the first input, perhaps in another order, shape or
/// type: Identity, Transpose, Cast, Reshape, ...
bool passesNumbersOn(const Node& node);

/// The initializer that a value is, seen through nodes that pass its numbers on; null where it is
/// computed from more than that.
const Value* originOf(const Value* value);

}  // namespace temper
