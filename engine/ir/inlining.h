// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Copies the nodes and initializers of a body (of If, Loop or Scan) into the graph around it.
/// `inputs` replace the body's inputs; its captures are found by name. New values and nodes are
/// named `prefix` + their name in the body.
/// Returns: what has become of the body's outputs, one value each; may be one of `inputs`, a
/// captured value, or the same value twice.
std::vector<Value*> inlineBody(Graph& graph, const Graph& body, const std::vector<Value*>& inputs,
                               const std::string& prefix);

/// Replaces an If by one of its branches; its outputs keep their names, and so do the initializers
/// of the branch if nothing else has these.
void inlineBranch(Graph& graph, Node* node, bool condition);

/// Replaces a Loop that makes `trips` iterations, whatever its condition says, by that many copies
/// of its body; its outputs keep their names.
void unrollLoop(Graph& graph, Node* node, int64_t trips);

/// Replaces a SequenceMap over sequences of `length` tensors by that many copies of its body; its
/// outputs keep their names.
void unrollMap(Graph& graph, Node* node, int64_t length);

/// Whether the node holds graphs: an If, Loop, Scan or SequenceMap.
bool hasBody(const Node& node);

/// The body in the attribute `name` of If, Loop, Scan or SequenceMap.
/// Throws: Error(InvalidInput) naming the node if it is missing.
const Graph& bodyOf(const Node& node, std::string_view name);

}  // namespace temper
