// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Whether inputs, weights or attributes of a model or its bodies are float16 or bfloat16.
bool hasHalfPrecision(const Graph& model);

/// Converts float16 and bfloat16 in a model to float32: training needs it, and checkpoints hold
/// nothing smaller. The original types are recorded in the model's metadata, which its artifacts
/// keep. Types are inferred. A model without such types is unchanged.
void widenHalfPrecision(Graph& model, const OpCatalog& catalog);

/// W007 (info) about a model that was widened.
std::optional<Finding> remarkOnHalfPrecision(const Graph& model);

/// Removes the record: the model is then a float32 model.
void forgetHalfPrecision(Graph& model);

/// Restores the recorded types of a model, or of what was made from it; numbers are rounded to
/// nearest. Throws: Error(InvalidInput) if there is no record, or if the model no longer fits the
/// types.
void restoreHalfPrecision(Graph& model, const OpCatalog& catalog);

}  // namespace temper
