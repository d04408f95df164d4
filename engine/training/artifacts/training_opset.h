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

/// Converts a model of a newer opset to kNewestTrainingOpset, so that ONNX Runtime can train its
/// artifacts. Newer operators are replaced; the originals are recorded for restoreOpset() in the
/// model's metadata, which its artifacts keep. Values keep their names.
/// Returns: A023 (info), naming the node whose form that opset does not have; the model is then
/// unchanged. Types are inferred.
std::optional<Finding> fitTrainingOpset(Graph& model, const OpCatalog& catalog);

/// Restores the opset and operators of what was made from such a model; operators that lost an
/// input stay as they are. Without the record nothing happens. Types are inferred.
void restoreOpset(Graph& model, const OpCatalog& catalog);

}  // namespace temper
