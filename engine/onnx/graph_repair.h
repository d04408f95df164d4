// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/core/error.h"
#include "engine/onnx/proto.h"

namespace temper {

/// Changes a graph that contradicts itself, bodies included, so that it can be read and viewed. In
/// place of each contradiction stands a node of the domain kFaultDomain, which nothing can compute,
/// so that what depends on it can't be computed either:
/// - M001 a value that a node or the graph reads and nothing defines: "Undefined" makes it.
/// - M002 a value that several nodes define, or a node and an input or initializer: each definition
///   gets a name of its own, "y (1)", "y (2)", and "Ambiguous" makes the value from them.
/// - M003 a cycle: nodes in it read "y (cycle)", which "Cycle" makes, instead of values of nodes
///   that come later in the file. Cycles through what a body reads stay.
/// A graph without them does not change. Expects dropRepeatedConstants() to have been called.
/// Returns: an error for each.
std::vector<Finding> repairGraph(onnx::GraphProto& graph);

}  // namespace temper
