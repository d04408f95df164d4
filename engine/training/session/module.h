// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// What all graphs of a session share.
struct ExecutionContext {
    /// With its own threads and memory; `threads` 0: one per core.
    static ExecutionContext make(std::shared_ptr<const OpSet> ops, int threads = 0);
    /// On another device than the processor, or with shared threads. `withoutPasses`: left out
    /// besides those that the device lacks. Throws: as requirePlanPasses().
    static ExecutionContext on(std::shared_ptr<Device> device, std::shared_ptr<const OpSet> ops,
                               std::vector<std::string> withoutPasses = {});

    /// What each plan of the session is compiled with.
    PlanOptions planOptions() const { return {.withoutPasses = withoutPasses}; }

    std::shared_ptr<const OpSet> ops;
    std::shared_ptr<Device> device;
    std::shared_ptr<Arena> arena;
    std::vector<std::string> withoutPasses = {};  ///< see PlanOptions
};

/// Computes losses and gradients: the training graph, the eval graph and the parameters that both
/// read. Gradients are in the state's parameters, and these in the memory of the device; what steps
/// return is in the host's.
/// Source: spec/training_api.md section 3. Thread: one at a time.
class Module {
public:
    /// `evalModel` may be null. The state has to outlive the module.
    /// Throws: Error(InvalidInput) if a trainable parameter of the state has no gradient buffer in
    /// the graph, or a parameter has another type there.
    Module(std::shared_ptr<const Graph> trainingModel, std::shared_ptr<const Graph> evalModel,
           CheckpointState& state, ExecutionContext context, PlanOptions trainingOptions);
    /// Trains with the context's planOptions().
    Module(std::shared_ptr<const Graph> trainingModel, std::shared_ptr<const Graph> evalModel,
           CheckpointState& state, const ExecutionContext& context)
        : Module(std::move(trainingModel), std::move(evalModel), state, context,
                 context.planOptions()) {}

    /// User inputs and outputs: without parameters, buffers and flags.
    const std::vector<std::string>& inputNames(bool training) const;
    const std::vector<std::string>& outputNames(bool training) const;
    bool hasEvalModel() const { return evalModel_ != nullptr; }
    /// Trainable parameters in training-graph order.
    const std::vector<std::string>& trainableParameters() const { return trainable_; }
    /// All parameters in training-graph order.
    const std::vector<std::string>& parameters() const { return parameters_; }

    /// Sets the mode of operator() and the default of the names; initially training.
    void train(bool mode = true) { isTraining_ = mode; }
    void eval() { isTraining_ = false; }
    bool isTraining() const { return isTraining_; }
    const std::vector<std::string>& inputNames() const { return inputNames(isTraining_); }
    const std::vector<std::string>& outputNames() const { return outputNames(isTraining_); }
    std::span<const Tensor> operator()(std::span<const Tensor> inputs) {
        return isTraining_ ? trainStep(inputs) : evalStep(inputs);
    }

    /// See TrainingSession for these.
    std::span<const Tensor> trainStep(std::span<const Tensor> inputs, uint64_t seed = 0);
    std::span<const Tensor> evalStep(std::span<const Tensor> inputs);
    std::span<const Tensor> evaluate(std::span<const Tensor> inputs,
                                     const std::vector<std::string>& values);
    void lazyResetGrad() { accumulates_ = false; }
    std::string findNonFinite(std::span<const Tensor> inputs, uint64_t seed);

    int64_t parametersSize(bool trainableOnly) const;
    Tensor toBuffer(bool trainableOnly) const;
    void fromBuffer(const Tensor& buffer, bool trainableOnly);
    std::unique_ptr<Graph> inferenceModel(const std::vector<std::string>& outputs) const;
    void exportModelForInferencing(const std::filesystem::path& path,
                                   const std::vector<std::string>& outputs) const;

    CheckpointState& state() const { return state_; }
    const ExecutionContext& context() const { return context_; }

    size_t arenaBytes() const;
    size_t activationBytes() const;
    void setProfile(Profile* profile);
    /// See TrainingSession for these.
    void joinParameters();
    void onWritten(const WrittenCallback& callback);

private:
    struct Ports {
        std::vector<std::string> inputs;
        std::vector<std::string> outputs;
    };

    void classify();
    /// Gives a nominal state's parameters the shapes of the graph, filled with zeros.
    void allocateParameters();
    const std::vector<std::string>& names(bool trainableOnly) const {
        return trainableOnly ? trainable_ : parameters_;
    }
    void requireBuffer(const Tensor& buffer, bool trainableOnly) const;
    void requireBuffers() const;
    void allocateGradients();
    std::vector<Tensor> allocateTogether() const;
    void requireParameters(const char* what) const;
    std::span<const Tensor> onHost(std::span<const Tensor> outputs);
    std::unique_ptr<GraphRunner> makeRunner(const std::shared_ptr<const Graph>& graph,
                                            const PlanOptions& options);
    void forgetOldParameters();
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
    bool isTraining_ = true;
    std::unique_ptr<GraphRunner> trainingRunner_;
    std::map<std::vector<std::string>, std::unique_ptr<GraphRunner>> evalRunners_;
    std::map<std::string, const std::byte*> bound_;  ///< constant parameters' data in the runners
    std::vector<Tensor> results_;
    Profile* profile_ = nullptr;
    WrittenCallback written_;
};

}  // namespace temper
