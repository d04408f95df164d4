// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

namespace temper {

/// Turns off training behaviour: Dropout loses its training_mode input (identity), and
/// BatchNormalization uses its running statistics and has one output.
/// Source: spec/artifacts.md sections 6 and 16.
void disableTrainingMode(Graph& graph);

/// The same for one BatchNormalization.
void useRunningStatistics(Graph& graph, Node* batchNorm);

}  // namespace temper
