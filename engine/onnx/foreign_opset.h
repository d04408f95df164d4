// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ir/graph.h"
#include "engine/onnx/proto.h"

namespace temper {

/// Notes in a node, and in those of its bodies, that ONNX's operators are in the form of another
/// opset than the model's: from inlining functions until the nodes are read.
void noteForeignOpset(onnx::NodeProto& node, const ForeignOpset& opset);

/// Removes the note from a node's metadata. Returns: its content; null if there is none.
std::shared_ptr<const ForeignOpset> takeForeignOpset(Metadata& metadata);

}  // namespace temper
