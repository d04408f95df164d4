// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// A copy of the graph that computes in float64 instead of float32: inputs, initializers and the
/// attributes that name an element type or hold numbers.
std::unique_ptr<Graph> toDoublePrecision(const Graph& graph);

/// The loss of a training model in double precision, as a function of its parameters, and its
/// gradients: the reference for gradients. It shares nothing with the state it was made from.
class DoubleLoss {
public:
    /// `inputNames` are the user inputs of the training model, in the order of the feeds.
    /// Throws: Error(Unsupported) for an operator without a float64 kernel.
    DoubleLoss(const Graph& trainingModel, const CheckpointState& state,
               const std::vector<std::string>& inputNames, std::shared_ptr<const OpSet> ops);

    /// A parameter's numbers, which may be changed between calls of operator().
    std::span<double> parameter(const std::string& name);

    /// `inputs` as for TrainingSession::trainStep(); `seed` is that of random operators.
    double operator()(std::span<const Tensor> inputs, uint64_t seed);

    /// The training model's gradients in float64 for the same arguments, by parameter. Throws:
    /// Error(Unsupported) for an operator without a float64 kernel.
    std::map<std::string, std::vector<double>> gradients(std::span<const Tensor> inputs,
                                                         uint64_t seed);

private:
    std::unique_ptr<GraphRunner> runnerOf(std::unique_ptr<Graph> graph);
    std::span<const Tensor> run(GraphRunner& runner, std::span<const Tensor> inputs, uint64_t seed);

    std::shared_ptr<const OpSet> ops_;
    std::unique_ptr<const Graph> model_;
    ThreadPool pool_{1};
    std::map<std::string, Tensor> parameters_;
    std::vector<std::string> inputNames_;
    std::unique_ptr<GraphRunner> runner_;
};

}  // namespace temper
