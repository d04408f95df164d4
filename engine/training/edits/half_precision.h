// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Whether inputs, weights or attributes of a model, or of its bodies, are float16 or bfloat16.
bool hasHalfPrecision(const Graph& model);

/// Writes a model with float32 in place of float16 and bfloat16: training needs it, and checkpoints
/// hold nothing smaller. What had which type is noted in the model's metadata, which its artifacts
/// keep. Types are inferred. A model without such numbers stays as it is.
void widenHalfPrecision(Graph& model, const OpCatalog& catalog);

/// W007, for information, about a model that was widened.
std::optional<Finding> remarkOnHalfPrecision(const Graph& model);

/// Leaves out what was noted: the model is one of float32 numbers.
void forgetHalfPrecision(Graph& model);

/// Gives a model, or what was made of it, the types that were noted; numbers are rounded to
/// nearest. Throws: Error(InvalidInput) if nothing was noted, or if the model does not fit the
/// types any more.
void restoreHalfPrecision(Graph& model, const OpCatalog& catalog);

}  // namespace temper
