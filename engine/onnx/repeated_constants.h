// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/core/error.h"
#include "engine/onnx/proto.h"

namespace temper {

/// Leaves one definition of each name that several initializers and Constant nodes of a graph have:
/// the last one, which ONNX Runtime uses for all readers, earlier ones too. Constant nodes come
/// after all initializers. Bodies are separate graphs. Returns: W006, for each name whose
/// definitions differ.
std::vector<Finding> dropRepeatedConstants(onnx::GraphProto& graph);

}  // namespace temper
