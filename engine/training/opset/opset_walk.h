// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Sets the version of ONNX's operators that the model imports; nodes stay as they are.
void setOpset(Graph& model, int64_t opset);

/// Converts the nodes of a model, including those in bodies, version by version to another opset.
/// On the way up a node with Node::foreignOpset() joins when the model has reached its version.
/// Types have to be inferred first, in bodies, too.
/// Throws: Error(Unsupported) naming the node whose form a version does not have.
void walkOpset(Graph& model, const OpCatalog& catalog, int64_t opset);

}  // namespace temper
