// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/onnx/operator_schema.h"

namespace temper {

/// The oldest version of ONNX's opset that a model can be written in; the newest is kNewestOpset.
inline constexpr int64_t kOldestOpset = 9;

/// Writes a model in another version of ONNX's opset, older or newer, so that it computes the same:
/// attributes become inputs and the other way round, operators that the version lacks become others
/// where these can say the same. The version of the file format is the one that belongs to the
/// opset. Types are inferred. Nodes of other domains stay.
/// Throws: Error(Unsupported) naming the node whose form the version does not have and the first
/// one that does; Error(InvalidInput) for a version out of range.
void convertOpset(Graph& model, const OpCatalog& catalog, int64_t opset);

/// Writes a model with nodes of other opsets (Node::foreignOpset(): functions may import others
/// than the model) in the newest of them, as convertOpset() does. Types are inferred. Throws:
/// Error(Unsupported) naming the node and its function whose form the newest does not have, and a
/// version out of range; Error(InvalidInput) for a node that contradicts its operator.
void unifyOpsets(Graph& model, const OpCatalog& catalog);
/// The same as LoadOptions::unifyOpsets; `catalog` has to live as long.
std::function<void(Graph&)> opsetUnifier(const OpCatalog& catalog);

/// The version of ONNX's file format that came with an opset.
int64_t irVersionOf(int64_t opset);

}  // namespace temper
