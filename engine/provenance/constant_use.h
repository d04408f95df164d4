// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/ir/op_catalog.h"
#include "engine/provenance/evidence.h"

namespace temper {

/// Why a floating-point initializer is a constant and no parameter, in a few words ("a mask"), by
/// its numbers and by what nodes do with it; empty if nothing says so.

/// The weakest of these reasons: one number, with a name that an exporter made up.
inline constexpr std::string_view kNumberWithoutName = "a number without a name";

/// What no parameter is, whatever its name.
std::string_view certainConstant(const Value& value, const Evidence& evidence,
                                 const OpCatalog& catalog);

/// What tensors are that nobody named as a parameter.
std::string_view likelyConstant(const Graph& graph, const Value& value, const Evidence& evidence,
                                const OpCatalog& catalog);

/// Scale and shift of an InstanceNormalization that stands for a part of a GroupNorm.
bool isOfGroupNorm(const Value::Use& use, const Value& value);

}  // namespace temper
