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
    std::vector<Finding> findings;     ///< A015, for each choice that matches no node
};

/// `choices` are name patterns for batch normalizations, their outputs or any of their tensors
/// (scale, bias, mean, variance); "*" means all.
FrozenStatistics resolveFrozenStatistics(const Graph& graph,
                                         const std::vector<std::string>& choices);

/// Makes the nodes with these outputs normalize by the running statistics, which stay unchanged, in
/// training as in evaluation. Source: ONNX, BatchNormalization with training_mode 0.
void freezeStatistics(Graph& graph, const std::vector<std::string>& outputs);

}  // namespace temper
