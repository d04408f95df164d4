// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"
#include "engine/ops/op_set.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/session/checkpoint_state.h"
#include "engine/training/spec/session_options.h"

namespace temper {

class Module;
class Profile;
struct ExecutionContext;

/// Bytes of memory that a session's plans use.
struct MemoryUse {
    size_t arenaBytes = 0;       ///< planned activations, gradients and scratch of the largest plan
    size_t activationBytes = 0;  ///< of these, what the forward pass keeps for the backward pass
    size_t parameterBytes = 0;   ///< parameters, gradient buffers and optimizer state
};

/// What an optimizer step does instead of the session's own optimizer.
class ParameterUpdate {
public:
    virtual ~ParameterUpdate() = default;
    /// Updates all trainable parameters with the state's learning rate, and counts the step.
    virtual void step() = 0;
};

/// The step-level training interface, like ONNX Runtime's TrainingSession.
///
/// A step is trainStep(), optimizerStep(), lazyResetGrad(). Inputs are given in the order of
/// inputNames(), outputs come in the order of outputNames(); the first one is the loss.
/// Source: spec/training_api.md. Thread: one at a time.
class TrainingSession {
public:
    /// Throws: Error(InvalidInput) if the graphs and the state do not belong together, with the
    /// names that are missing.
    TrainingSession(Artifacts artifacts, std::shared_ptr<CheckpointState> state,
                    std::shared_ptr<const OpSet> ops, SessionOptions options = {});
    ~TrainingSession();
    TrainingSession(const TrainingSession&) = delete;
    TrainingSession& operator=(const TrainingSession&) = delete;

    CheckpointState& state();
    /// The graphs. Their checkpoint is empty: state() has the values.
    const Artifacts& artifacts() const;
    /// Operators, threads and memory of the session: for an Optimizer of your own over its state.
    const ExecutionContext& context() const;

    /// User inputs and outputs of the training or eval model: without parameters, buffers and
    /// flags.
    const std::vector<std::string>& inputNames(bool training = true) const;
    const std::vector<std::string>& outputNames(bool training = true) const;
    /// One of them. Throws: Error(InvalidInput) with the range if the index is outside it.
    const std::string& inputName(size_t index, bool training = true) const;
    const std::string& outputName(size_t index, bool training = true) const;
    /// Declared type of a user input.
    ValueType inputType(const std::string& name) const;

    /// Forward and backward; gradients are written to the buffers (first step after creation or
    /// lazyResetGrad()) or added to them. The result is valid until the next step.
    std::span<const Tensor> trainStep(std::span<const Tensor> inputs);
    /// Forward only; changes nothing. Throws: Error(State) without an eval model.
    std::span<const Tensor> evalStep(std::span<const Tensor> inputs);
    /// As evalStep(), with the named values of the eval model instead of its outputs.
    /// Inputs that none of them needs may be empty tensors.
    std::span<const Tensor> evaluate(std::span<const Tensor> inputs,
                                     const std::vector<std::string>& values);
    void lazyResetGrad();

    /// Trainable parameters in training-graph order. Their gradients are in one piece of memory, in
    /// this order, each on a border of 64 bytes.
    const std::vector<std::string>& trainableParameters() const;
    /// Moves the trainable parameters into one piece of memory, each at the same place as its
    /// gradient. Everything that refers to their tensors has to be made anew.
    void joinParameters();
    /// From now on, train steps call it when an input of the training model that they change has
    /// got its final value of the step: gradient buffers, running statistics; empty: no longer. It
    /// is called between two kernels.
    void onWritten(const std::function<void(const std::string& input)>& callback);
    /// The next train step draws the random numbers of this one of the optimizer step, from 0.
    void setTrainStepNumber(uint64_t number);
    /// The seed of that train step.
    uint64_t seedOfTrainStep(uint64_t number) const;
    /// Another module for the same train steps: on the processor, with the session's threads, but
    /// with this state, operators and memory of its own. The state has to outlive it, and its
    /// tensors are in the host's memory.
    std::unique_ptr<Module> makeTrainingModule(CheckpointState& state,
                                               std::shared_ptr<const OpSet> ops) const;

    /// Throws: Error(State) without an optimizer model.
    void optimizerStep();
    /// From now on, optimizer steps are those of `update`. Throws: Error(State) if the session has
    /// an optimizer of its own, see SessionOptions::zeroStage.
    void setUpdate(std::unique_ptr<ParameterUpdate> update);
    float learningRate() const;
    /// Also kept as the state's property "temper.learning_rate", from which a session over a saved
    /// state starts.
    void setLearningRate(float learningRate);
    /// Linear warm-up and decay; see linearLrFactor(). The rate is `initial` until schedulerStep().
    void registerLinearLrSchedule(int64_t warmupSteps, int64_t totalSteps, float initial);
    /// Any schedule: one of makeLrSchedule(), or your own. It continues from what the state keeps
    /// of it; the rate does not change until schedulerStep().
    void registerLrSchedule(std::shared_ptr<LrSchedule> schedule);
    /// Sets the rate of the next optimizer step. Throws: Error(State) if no schedule was
    /// registered.
    void schedulerStep();
    /// Passes the loss of an evaluation to the schedule. Throws: as schedulerStep().
    void schedulerNoteEvaluation(double loss);

    /// Of random operators; the next train step draws what the first one of this optimizer step
    /// would draw with that seed.
    void setSeed(uint64_t seed);

    /// Number of elements of all (trainable) parameters.
    int64_t parametersSize(bool trainableOnly) const;
    /// Parameters one after the other in training-graph order: float32 [parametersSize].
    Tensor toBuffer(bool trainableOnly) const;
    /// The inverse; makes a nominal state real (needs trainableOnly == false).
    void fromBuffer(const Tensor& buffer, bool trainableOnly);
    /// The same; its size determines whether it holds the trainable parameters or all.
    void fromBuffer(const Tensor& buffer);

    /// The eval model with the state's parameters as initializers, reduced to `outputs` (any values
    /// of the eval model). Throws: Error(NotFound) naming an unknown output.
    std::unique_ptr<Graph> inferenceModel(const std::vector<std::string>& outputs) const;
    void exportModelForInferencing(const std::filesystem::path& path,
                                   const std::vector<std::string>& outputs) const;

    /// Euclidean norm of all gradients.
    double gradientNorm() const;
    /// Scales all gradients in place: averaging, clipping.
    void scaleGradients(float factor);
    /// Clamps each number of all gradients to [-limit, limit], in place.
    void clampGradients(float limit);

    /// From now on each optimizer step updates a moving average of the weights, which continues
    /// from the state's; see WeightAverage and, to use it, AveragedWeights. 0: off.
    void setWeightAverage(double decay);

    /// The first node of the last train step whose output holds NaN or infinity, found by running
    /// its batch again: "node 'x' (Conv)", or "input 'x'" or "parameter 'x'" if that holds one.
    /// Empty if all are finite. Afterwards the gradients are those of only that batch, or
    /// incomplete.
    std::string findNonFinite(std::span<const Tensor> inputs);
    /// The last train step was that of another module, with this seed.
    void noteTrainStep(uint64_t seed);

    MemoryUse memoryUse() const;
    /// Only that of memoryUse(), at almost no cost.
    size_t arenaBytes() const;
    /// Collects the kernel calls of all steps in `profile` until it is set to null.
    void setProfile(Profile* profile);
    /// Null if there is none.
    Profile* profile() const;

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace temper
