// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/checkpoint_state.h"

namespace temper {

/// What all graphs of a session share.
struct ExecutionContext {
    std::shared_ptr<const OpSet> ops;
    std::shared_ptr<ThreadPool> pool;
    std::shared_ptr<Arena> arena;
};

/// Computes losses and gradients: the training graph, the eval graph and the parameters that
/// both read. Gradients lie in the state's parameters.
/// Source: spec/training_api.md section 3. Thread: one at a time.
class Module {
public:
    /// `evalModel` may be null. The state has to outlive the module.
    /// Throws: Error(InvalidInput) where a trainable parameter of the state has no gradient buffer
    /// in the graph, or a parameter has another type there.
    Module(std::shared_ptr<const Graph> trainingModel, std::shared_ptr<const Graph> evalModel,
           CheckpointState& state, ExecutionContext context, PlanOptions trainingOptions = {});

    /// User inputs and outputs: without parameters, buffers and flags.
    const std::vector<std::string>& inputNames(bool training) const;
    const std::vector<std::string>& outputNames(bool training) const;
    bool hasEvalModel() const { return evalModel_ != nullptr; }
    /// Trainable parameters in training-graph order.
    const std::vector<std::string>& trainableParameters() const { return trainable_; }
    /// All parameters in training-graph order.
    const std::vector<std::string>& parameters() const { return parameters_; }

    /// See TrainingSession for these.
    std::span<const Tensor> trainStep(std::span<const Tensor> inputs, uint64_t seed);
    std::span<const Tensor> evalStep(std::span<const Tensor> inputs);
    std::span<const Tensor> evaluate(std::span<const Tensor> inputs,
                                     const std::vector<std::string>& values);
    void lazyResetGrad() { accumulates_ = false; }
    std::string findNonFinite(std::span<const Tensor> inputs, uint64_t seed);

    /// Gives a nominal state's parameters the shapes of the graph, filled with zeros.
    void allocateParameters();

    size_t arenaBytes() const;
    size_t activationBytes() const;
    void setProfile(Profile* profile);

private:
    struct Ports {
        std::vector<std::string> inputs;
        std::vector<std::string> outputs;
    };

    void classify();
    void requireBuffers() const;
    void allocateGradients();
    void requireParameters(const char* what) const;
    std::unique_ptr<GraphRunner> makeRunner(const std::shared_ptr<const Graph>& graph,
                                            const PlanOptions& options = {}) const;
    GraphRunner& trainingRunner();
    GraphRunner& evalRunner(const std::vector<std::string>& values);

    std::shared_ptr<const Graph> trainingModel_;
    std::shared_ptr<const Graph> evalModel_;
    CheckpointState& state_;
    ExecutionContext context_;
    PlanOptions trainingOptions_;
    Ports training_;
    Ports eval_;
    std::vector<std::string> parameters_;
    std::vector<std::string> trainable_;
    Tensor resetFlag_;
    bool accumulates_ = false;
    std::unique_ptr<GraphRunner> trainingRunner_;
    std::map<std::vector<std::string>, std::unique_ptr<GraphRunner>> evalRunners_;
    std::vector<Tensor> results_;
    Profile* profile_ = nullptr;
};

}  // namespace temper
