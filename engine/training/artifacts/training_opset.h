// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/core/error.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The newest opset that the last ONNX Runtime with training (1.19) loads.
inline constexpr int64_t kNewestTrainingOpset = 21;

/// Writes a model of a newer opset as one of kNewestTrainingOpset, so that ONNX Runtime can train
/// its artifacts. Operators that are newer become others; what they were is noted in the model's
/// metadata, which its artifacts keep, for restoreOpset(). Values keep their names.
/// Returns: A023, for information, naming the node whose form that opset does not have; the model
/// stays as it is then. Types are inferred.
std::optional<Finding> fitTrainingOpset(Graph& model, const OpCatalog& catalog);

/// Gives what was made of such a model its opset and its operators again; those of which an input
/// is gone stay as they are. Without a note nothing happens. Types are inferred.
void restoreOpset(Graph& model, const OpCatalog& catalog);

}  // namespace temper
