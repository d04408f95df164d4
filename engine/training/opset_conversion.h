// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// The versions of ONNX's opset that a model can be written in.
inline constexpr int64_t kOldestOpset = 9;
inline constexpr int64_t kNewestOpset = 28;

/// Writes a model in another version of ONNX's opset, older or newer, so that it computes the same:
/// attributes become inputs and the other way round, operators that the version lacks become others
/// where these can say the same. The version of the file format is the one that belongs to the
/// opset. Types are inferred. Nodes of other domains stay.
/// Throws: Error(Unsupported) naming the node whose form the version does not have and the first
/// one that does; Error(InvalidInput) for a version out of range.
void convertOpset(Graph& model, const OpCatalog& catalog, int64_t opset);

/// The version of ONNX's file format that came with an opset.
int64_t irVersionOf(int64_t opset);

}  // namespace temper
