// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/ir/op_catalog.h"
#include "engine/provenance/evidence.h"

namespace temper {

/// Why a floating-point initializer is a constant and not a parameter, in a few words ("a mask"),
/// judged by its numbers and by what nodes do with it; empty if nothing indicates that.

/// Reasons that rule out a parameter, whatever its name.
std::string_view certainConstant(const Value& value, const Evidence& evidence,
                                 const OpCatalog& catalog);

/// Reasons that apply to tensors without the name of a parameter.
std::string_view likelyConstant(const Graph& graph, const Value& value, const Evidence& evidence,
                                const OpCatalog& catalog);

/// Scale and shift of an InstanceNormalization that is a part of a GroupNorm.
bool isOfGroupNorm(const Value::Use& use, const Value& value);

}  // namespace temper
