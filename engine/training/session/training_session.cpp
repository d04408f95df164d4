// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/training_session.h"

#include <algorithm>
#include <cmath>

#include "engine/core/counted.h"
#include "engine/core/random.h"
#include "engine/runtime/cpu/cpu_device.h"
#include "engine/training/optimizers/lr_curves.h"
#include "engine/training/session/module.h"
#include "engine/training/session/optimizer.h"
#include "engine/training/session/plan_options.h"
#include "engine/training/session/run_properties.h"
#include "engine/training/session/weight_average.h"

namespace temper {
namespace {

/// More batches than this are never accumulated into one optimizer step.
constexpr int kBatchBits = 24;

std::shared_ptr<const Graph> requireModel(std::shared_ptr<const Graph> trainingModel) {
    if (trainingModel) return trainingModel;
    throw Error(ErrorCode::InvalidInput,
                "Training Session Creation failed. Train model data cannot be NULL.",
                "Specify the training model.");
}

const std::string& at(const std::vector<std::string>& names, size_t index, bool training,
                      const char* what) {
    if (index < names.size()) return names[index];
    throw Error(ErrorCode::InvalidInput, std::string(training ? "Train " : "Eval ") + what +
                                             " name index out of range. Expected in range [0-" +
                                             std::to_string(names.size()) +
                                             "). Actual: " + std::to_string(index) + ".");
}

/// Throws: Error(Unsupported) listing the devices if none has the name.
ExecutionContext contextFor(std::shared_ptr<const OpSet> ops, const SessionOptions& options) {
    auto device = makeDevice(options.device, ops->cpuKernels, options.threads);
    return ExecutionContext::on(std::move(device), std::move(ops), options.withoutPasses);
}

/// The state has its own copy of the values; they are as large as the model.
Artifacts withoutCheckpoint(Artifacts artifacts) {
    artifacts.checkpoint = {};
    return artifacts;
}

}  // namespace

struct TrainingSession::Implementation {
    Implementation(Artifacts theArtifacts, std::shared_ptr<CheckpointState> theState,
                   std::shared_ptr<const OpSet> ops, const SessionOptions& theOptions)
        : artifacts(withoutCheckpoint(std::move(theArtifacts))),
          state(std::move(theState)),
          options(theOptions),
          context(contextFor(std::move(ops), options)),
          module(requireModel(artifacts.trainingModel), artifacts.evalModel, *state, context,
                 trainingPlanOptions(options, context)),
          seed(options.seed),
          zeroStage(options.zeroStage) {
        if (artifacts.optimizerModel && options.zeroStage == 0) {
            optimizer = std::make_unique<Optimizer>(artifacts.optimizerModel, module);
        }
        if (!state->isNominal()) collectGradients();
    }

    void collectGradients() {
        for (const std::string& name : module.trainableParameters()) {
            gradients.push_back(state->parameter(name).gradient);
        }
    }

    Optimizer& requireOptimizer() {
        if (optimizer) return *optimizer;
        if (zeroStage > 0) {
            throw Error(ErrorCode::State, "The optimizer's state is shared out among ranks.",
                        "Train with ranks (--ranks), or without --zero.");
        }
        throw Error(ErrorCode::State, "No optimizer session initialized.",
                    "Specify an optimizer model.");
    }

    LrSchedule& requireSchedule() const {
        if (schedule) return *schedule;
        throw Error(ErrorCode::State,
                    "No learning rate scheduler was registered. Please register a valid learning "
                    "rate scheduler.");
    }

    const Optimizer& requireOptimizer() const {
        return const_cast<Implementation*>(this)->requireOptimizer();
    }

    /// Depends on the steps done, not on how the run got here: a resumed run draws the same
    /// numbers.
    uint64_t seedOf(uint64_t trainStep) const {
        const auto done = static_cast<uint64_t>(state->optimizerState().step);
        return Random::at(seed, (done << kBatchBits) + trainStep);
    }

    Artifacts artifacts;
    std::shared_ptr<CheckpointState> state;
    const SessionOptions options;  ///< as it was made
    ExecutionContext context;
    Module module;
    std::vector<Tensor> gradients;  ///< of the trainable parameters
    std::unique_ptr<Optimizer> optimizer;
    std::unique_ptr<ParameterUpdate> update;  ///< instead of the optimizer
    uint64_t seed = 0;
    int zeroStage = 0;
    uint64_t batch = 0;  ///< train steps since the latest optimizer step
    uint64_t lastSeed = 0;
    std::shared_ptr<LrSchedule> schedule;
    std::optional<WeightAverage> average;
    Profile* profile = nullptr;
};

TrainingSession::TrainingSession(Artifacts artifacts, std::shared_ptr<CheckpointState> state,
                                 std::shared_ptr<const OpSet> ops, SessionOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(artifacts), std::move(state),
                                                       std::move(ops), options)) {}

TrainingSession::~TrainingSession() = default;

CheckpointState& TrainingSession::state() { return *implementation_->state; }
const Artifacts& TrainingSession::artifacts() const { return implementation_->artifacts; }
const ExecutionContext& TrainingSession::context() const { return implementation_->context; }

const std::vector<std::string>& TrainingSession::inputNames(bool training) const {
    return implementation_->module.inputNames(training);
}

const std::vector<std::string>& TrainingSession::outputNames(bool training) const {
    return implementation_->module.outputNames(training);
}

const std::string& TrainingSession::inputName(size_t index, bool training) const {
    return at(inputNames(training), index, training, "input");
}

const std::string& TrainingSession::outputName(size_t index, bool training) const {
    return at(outputNames(training), index, training, "output");
}

ValueType TrainingSession::inputType(const std::string& name) const {
    const Value* value = artifacts().trainingModel->find(name);
    if (value == nullptr && artifacts().evalModel) value = artifacts().evalModel->find(name);
    if (value == nullptr)
        throw Error(ErrorCode::NotFound, "The model has no input '" + name + "'.");
    return value->type();
}

std::span<const Tensor> TrainingSession::trainStep(std::span<const Tensor> inputs) {
    Implementation& self = *implementation_;
    self.lastSeed = self.seedOf(self.batch);
    ++self.batch;
    return self.module.trainStep(inputs, self.lastSeed);
}

std::span<const Tensor> TrainingSession::evalStep(std::span<const Tensor> inputs) {
    return implementation_->module.evalStep(inputs);
}

std::span<const Tensor> TrainingSession::evaluate(std::span<const Tensor> inputs,
                                                  const std::vector<std::string>& values) {
    return implementation_->module.evaluate(inputs, values);
}

const std::vector<std::string>& TrainingSession::trainableParameters() const {
    return implementation_->module.trainableParameters();
}

void TrainingSession::joinParameters() { implementation_->module.joinParameters(); }

void TrainingSession::onWritten(const std::function<void(const std::string& input)>& callback) {
    implementation_->module.onWritten(callback);
}

void TrainingSession::setTrainStepNumber(uint64_t number) { implementation_->batch = number; }

uint64_t TrainingSession::seedOfTrainStep(uint64_t number) const {
    return implementation_->seedOf(number);
}

std::unique_ptr<Module> TrainingSession::makeTrainingModule(
    CheckpointState& state, std::shared_ptr<const OpSet> ops) const {
    const Implementation& self = *implementation_;
    const std::shared_ptr<Device>& device = self.context.device;
    auto cpu = std::make_shared<CpuDevice>(ops->cpuKernels,
                                           std::shared_ptr<ThreadPool>(device, &device->pool()));
    ExecutionContext context =
        ExecutionContext::on(std::move(cpu), std::move(ops), self.options.withoutPasses);
    PlanOptions plan = trainingPlanOptions(self.options, context);
    return std::make_unique<Module>(requireModel(self.artifacts.trainingModel), nullptr, state,
                                    std::move(context), std::move(plan));
}

void TrainingSession::lazyResetGrad() { implementation_->module.lazyResetGrad(); }

void TrainingSession::optimizerStep() {
    Implementation& self = *implementation_;
    if (self.update) {
        self.update->step();
    } else {
        self.requireOptimizer().step();
    }
    if (self.average) self.average->update(*self.context.device);
    self.batch = 0;
}

void TrainingSession::setUpdate(std::unique_ptr<ParameterUpdate> update) {
    if (implementation_->optimizer && update)
        throw Error(ErrorCode::State, "The session has an optimizer of its own.");
    implementation_->update = std::move(update);
}

float TrainingSession::learningRate() const {
    if (implementation_->update) return keptLearningRate(*implementation_->state).value_or(0);
    return implementation_->requireOptimizer().learningRate();
}

void TrainingSession::setLearningRate(float learningRate) {
    if (implementation_->update) return keepLearningRate(state(), learningRate);
    implementation_->requireOptimizer().setLearningRate(learningRate);
}

void TrainingSession::registerLinearLrSchedule(int64_t warmupSteps, int64_t totalSteps,
                                               float initial) {
    const auto rate = [=](int64_t step) {
        return initial * static_cast<float>(linearLrFactor(step, warmupSteps, totalSteps));
    };
    registerLrSchedule(std::make_shared<CurveSchedule>(rate));
    setLearningRate(initial);
    state().optimizerState().initialLearningRate = initial;
}

void TrainingSession::registerLrSchedule(std::shared_ptr<LrSchedule> schedule) {
    implementation_->requireOptimizer();
    restoreSchedule(*schedule, state());
    implementation_->schedule = std::move(schedule);
}

void TrainingSession::schedulerStep() {
    const LrSchedule& schedule = implementation_->requireSchedule();
    setLearningRate(static_cast<float>(schedule.rateAt(state().optimizerState().step)));
}

void TrainingSession::schedulerNoteEvaluation(double loss) {
    LrSchedule& schedule = implementation_->requireSchedule();
    schedule.noteEvaluation(loss);
    keepSchedule(schedule, state());
}

void TrainingSession::setSeed(uint64_t seed) {
    implementation_->seed = seed;
    implementation_->batch = 0;
}

int64_t TrainingSession::parametersSize(bool trainableOnly) const {
    return implementation_->module.parametersSize(trainableOnly);
}

Tensor TrainingSession::toBuffer(bool trainableOnly) const {
    return implementation_->module.toBuffer(trainableOnly);
}

void TrainingSession::fromBuffer(const Tensor& buffer, bool trainableOnly) {
    Implementation& self = *implementation_;
    const bool wasNominal = self.state->isNominal();
    self.module.fromBuffer(buffer, trainableOnly);
    if (wasNominal) self.collectGradients();
}

void TrainingSession::fromBuffer(const Tensor& buffer) {
    if (buffer.numElements() == parametersSize(false)) return fromBuffer(buffer, false);
    if (buffer.numElements() == parametersSize(true)) return fromBuffer(buffer, true);
    throw Error(ErrorCode::InvalidInput,
                "Incorrect buffer size received: " + counted(buffer.numElements(), "element") +
                    "; expected " + std::to_string(parametersSize(true)) +
                    " (trainable parameters) or " + std::to_string(parametersSize(false)) +
                    " (all).");
}

std::unique_ptr<Graph> TrainingSession::inferenceModel(
    const std::vector<std::string>& outputs) const {
    return implementation_->module.inferenceModel(outputs);
}

void TrainingSession::exportModelForInferencing(const std::filesystem::path& path,
                                                const std::vector<std::string>& outputs) const {
    implementation_->module.exportModelForInferencing(path, outputs);
}

double TrainingSession::gradientNorm() const {
    double sum = 0;
    for (const Tensor& gradient : implementation_->gradients)
        sum += implementation_->context.device->sumOfSquares(gradient);
    return std::sqrt(sum);
}

void TrainingSession::scaleGradients(float factor) {
    for (Tensor& gradient : implementation_->gradients)
        implementation_->context.device->scale(gradient, factor);
}

void TrainingSession::clampGradients(float limit) {
    for (Tensor& gradient : implementation_->gradients)
        implementation_->context.device->clamp(gradient, limit);
}

void TrainingSession::setWeightAverage(double decay) {
    implementation_->average.reset();
    if (decay != 0) implementation_->average.emplace(state(), decay);
}

std::string TrainingSession::findNonFinite(std::span<const Tensor> inputs) {
    return implementation_->module.findNonFinite(inputs, implementation_->lastSeed);
}

void TrainingSession::noteTrainStep(uint64_t seed) { implementation_->lastSeed = seed; }

size_t TrainingSession::arenaBytes() const { return implementation_->module.arenaBytes(); }

MemoryUse TrainingSession::memoryUse() const {
    MemoryUse use;
    use.arenaBytes = arenaBytes();
    use.activationBytes = implementation_->module.activationBytes();
    for (const Parameter& parameter : implementation_->state->parameters()) {
        use.parameterBytes += parameter.data.byteSize() + parameter.gradient.byteSize();
    }
    for (const auto& [parameter, moments] : implementation_->state->optimizerState().moments) {
        for (const auto& [name, data] : moments) use.parameterBytes += data.byteSize();
    }
    return use;
}

void TrainingSession::setProfile(Profile* profile) {
    implementation_->profile = profile;
    implementation_->module.setProfile(profile);
    if (implementation_->optimizer) implementation_->optimizer->setProfile(profile);
}

Profile* TrainingSession::profile() const { return implementation_->profile; }

}  // namespace temper
