// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"

namespace temper {

/// The batch normalizations of a model that keep their statistics in training.
struct FrozenStatistics {
    std::vector<std::string> outputs;  ///< the nodes' first outputs
    std::vector<Finding> findings;     ///< A015, for each choice that is for no node
};

/// `choices` are patterns of names: of batch normalizations, of their outputs or of one of their
/// tensors (scale, bias, mean, variance); "*" means all.
FrozenStatistics resolveFrozenStatistics(const Graph& graph,
                                         const std::vector<std::string>& choices);

/// Lets the nodes that make these values normalize by the running statistics, which stay as they
/// are, in training as in evaluation. Source: ONNX, BatchNormalization with training_mode 0.
void freezeStatistics(Graph& graph, const std::vector<std::string>& outputs);

}  // namespace temper
