// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// One fully connected layer with its current weights.
struct UnitLayer {
    std::string name;                      ///< of its product
    std::vector<std::string> activations;  ///< operators after its sums, such as "Relu"
    Tensor weight;                         ///< float32, shape [units, inputs]

    int64_t units() const { return weight.shape()[0]; }
    int64_t inputs() const { return weight.shape()[1]; }
};

/// What the units of a model's fully connected layers, see findDenseLayers(), give for samples.
/// Like Predictor, it has its own copy of the weights, its own graph, threads and memory. Thread:
/// one at a time.
class UnitProbe {
public:
    /// Throws: as findDenseLayers(); Error(Unsupported) if the loss does not reveal the prediction
    /// or its layers are not fully connected, one row for each sample.
    UnitProbe(const Graph& evalModel, const CheckpointState& state,
              std::shared_ptr<const OpSet> ops, int threads = 1);

    /// First to last; the last is the head.
    const std::vector<UnitLayer>& layers() const { return layers_; }
    /// Model inputs that the layers need, in the order of responses().
    const std::vector<std::string>& inputNames() const { return runner_->fedInputs(); }
    ValueType inputType(const std::string& name) const;

    /// After the activation, for each layer: float32, shape [N, units]. Shapes: inputs [N, ...].
    std::vector<Tensor> responses(std::span<const Tensor> inputs);

private:
    std::shared_ptr<const OpSet> ops_;
    std::shared_ptr<ThreadPool> pool_;
    std::shared_ptr<Arena> arena_;
    std::vector<UnitLayer> layers_;
    std::shared_ptr<const Graph> graph_;
    std::unique_ptr<GraphRunner> runner_;
};

/// How each unit's response varies with each element of a sample: their covariance over the samples
/// in units of the response's standard deviation, 0 for a unit that does not respond. The sample
/// that excites the unit most differs from the mean sample in this direction.
/// Shapes: responses [N, units], samples [N, ...] of float32; result [units, elements of a sample].
/// Source: spike-triggered average (Chichilnisky, "A simple white noise analysis of neuronal light
/// responses", 2001).
Tensor excitingDirections(const Tensor& responses, const Tensor& samples);

}  // namespace temper
