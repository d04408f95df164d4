// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "engine/ir/graph.h"

namespace temper {

/// The positions of a Loop's values among the inputs and outputs of node and body.
/// Source: ONNX, docs/Operators.md, Loop.
struct LoopStates {
    /// The node's inputs begin with trip count and condition, the body's with iteration number and
    /// condition; the body's outputs begin with the condition.
    static constexpr size_t kFirstInput = 2;
    static constexpr size_t kFirstBodyOutput = 1;

    size_t count = 0;

    static LoopStates of(const Node& loop) { return {loop.inputs().size() - kFirstInput}; }

    static Value* before(const Graph& body, size_t i) { return body.inputs().at(kFirstInput + i); }
    static Value* after(const Graph& body, size_t i) {
        return body.outputs().at(kFirstBodyOutput + i);
    }
    /// Whether each iteration passes the state on unchanged: then it is a value from outside.
    static bool isHandedOn(const Graph& body, size_t i);
};

/// Saves what each iteration began with, for the backward pass: scan outputs after the others, one
/// for each state that is not passed on unchanged, and the iteration numbers.
void saveLoopStates(Graph& graph, Node* loop);

/// What saveLoopStates() adds: positions among the node's outputs.
struct SavedLoopStates {
    size_t scanOutputs = 0;  ///< how many there were before
    size_t first = 0;        ///< of the states that are not passed on unchanged, in order
    size_t numbers = 0;      ///< of the iterations

    static SavedLoopStates of(const Node& loop);
};

}  // namespace temper
