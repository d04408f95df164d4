// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/autodiff/gradient.h"
#include "engine/ops/recurrent/recurrent.h"
#include "engine/ops/recurrent/subgraph_gradient.h"

namespace temper {

/// The number of time steps, if it is fixed.
std::optional<int64_t> fixedTimeSteps(const Node& node, const RecurrentAttributes& attributes);
/// From the attribute or the shape of R.
std::optional<int64_t> hiddenSizeOf(const Node& node, const RecurrentAttributes& attributes);

/// X as [T, B, I], and its counterparts for the other tensors, of layout 1.
Value* timeFirst(Subgraph& graph, const RecurrentAttributes& attributes, Value* x);
/// [D, B, H] from the layout of the node.
Value* directionFirst(Subgraph& graph, const RecurrentAttributes& attributes, Value* state);
/// [T, D, B, H] to the layout of the node; null stays null.
Value* sequenceInLayout(Subgraph& graph, const RecurrentAttributes& attributes, Value* y);
/// [D, B, H] to the layout of the node; null stays null.
Value* stateInLayout(Subgraph& graph, const RecurrentAttributes& attributes, Value* state);

/// Whether ORT's training operators can express it: LSTM and GRU with default activations, without
/// clip, peepholes or coupled gates. `readsCells`: the loss depends on Y_c.
bool fitsTrainingOperator(const Node& node, const RecurrentAttributes& attributes, bool readsCells);
/// LSTM and GRU as one LSTMTraining or GRUTraining per direction.
void toTrainingOperators(Graph& graph, Node* node);

/// Any recurrent node with a fixed number of time steps, as elementary operators.
void unroll(Graph& graph, Node* node);

}  // namespace temper
