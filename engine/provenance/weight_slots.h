// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// The node that uses a tensor as a weight, directly or behind nodes that pass its numbers on; or
/// null.
const Node* weightReader(const Value& value);

/// Whether nodes read it as the exponent of Pow and for nothing else, directly or behind nodes that
/// pass its numbers on.
bool isOnlyExponent(const Value& value);

}  // namespace temper
