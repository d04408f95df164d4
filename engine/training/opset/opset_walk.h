// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// Says that the model imports this version of ONNX's operators; nodes stay as they are.
void setOpset(Graph& model, int64_t opset);

/// Takes the nodes of a model, those of bodies included, version by version to another opset. On
/// the way up a node with Node::foreignOpset() joins when the model has reached its version. Types
/// have to be inferred before, in bodies, too.
/// Throws: Error(Unsupported) naming the node whose form a version does not have.
void walkOpset(Graph& model, const OpCatalog& catalog, int64_t opset);

}  // namespace temper
