// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/op_catalog.h"

namespace temper {

/// The initializer that a value comes from, looking through nodes that only move its numbers
/// (OperatorFacts::movesData); null if it is computed from more than that.
const Value* originOf(const Value* value, const OpCatalog& catalog);

}  // namespace temper
