// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/op_catalog.h"

namespace temper {

/// The node that uses a tensor as a weight (OperatorFacts::weightInputs), directly or after nodes
/// that only move its numbers; or null.
const Node* weightReader(const Value& value, const OpCatalog& catalog);

/// Whether nodes read it only as the exponent of Pow, directly or after nodes that only move its
/// numbers.
bool isOnlyExponent(const Value& value, const OpCatalog& catalog);

}  // namespace temper
