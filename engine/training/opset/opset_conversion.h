// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/onnx/operator_schema.h"

namespace temper {

/// The oldest version of ONNX's opset that a model can be converted to; the newest is kNewestOpset.
inline constexpr int64_t kOldestOpset = 9;

/// Converts a model to another version of ONNX's opset, older or newer, so that it computes the
/// same: attributes become inputs and vice versa, operators that the version lacks are replaced by
/// others if these can express the same. The IR version becomes the one that belongs to the opset.
/// Types are inferred. Nodes of other domains stay.
/// Throws: Error(Unsupported) naming the node whose form the version does not have and the first
/// version that does; Error(InvalidInput) for a version out of range.
void convertOpset(Graph& model, const OpCatalog& catalog, int64_t opset);

/// Converts a model with nodes of other opsets (Node::foreignOpset(): functions may import others
/// than the model) to the newest of them, as convertOpset() does. Types are inferred. Throws:
/// Error(Unsupported) naming the node and its function whose form the newest does not have, and a
/// version out of range; Error(InvalidInput) for a node that contradicts its operator.
void unifyOpsets(Graph& model, const OpCatalog& catalog);
/// The same as a LoadOptions::unifyOpsets; `catalog` has to outlive it.
std::function<void(Graph&)> opsetUnifier(const OpCatalog& catalog);

/// The version of ONNX's file format (IR) that came with an opset.
int64_t irVersionOf(int64_t opset);

}  // namespace temper
