// SPDX-License-Identifier: Apache-2.0
#include "engine/training/training_session.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/random.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/cpu/compute_pool.h"
#include "engine/training/inference_model.h"
#include "engine/training/lr_curves.h"
#include "engine/training/module.h"
#include "engine/training/optimizer.h"
#include "engine/training/run_properties.h"

namespace temper {
namespace {

/// Gradients are summed up in blocks of this many elements, whatever the threads.
constexpr int64_t kBlock = 16384;
/// More batches than this are never accumulated into one optimizer step.
constexpr int kBatchBits = 24;

PlanOptions planOptionsOf(const SessionOptions& options) {
    if (!(options.memoryShare > 0 && options.memoryShare <= 1)) {
        throw Error(ErrorCode::InvalidInput,
                    "The memory share is " + std::to_string(options.memoryShare) +
                        "; expected more than 0, and at most 1.",
                    "0.5 asks for half of the memory that activations need.");
    }
    return {.memoryShare = options.memoryShare, .recomputedBlocks = options.recompute};
}

}  // namespace

SessionOptions sessionOptionsOf(const RunSpec& run) {
    return {.threads = run.threads,
            .seed = run.seed,
            .memoryShare = run.memoryShare,
            .recompute = run.recompute};
}

struct TrainingSession::Implementation {
    Implementation(Artifacts theArtifacts, std::shared_ptr<CheckpointState> theState,
                   std::shared_ptr<const OpSet> ops, const SessionOptions& options)
        : artifacts(std::move(theArtifacts)),
          state(std::move(theState)),
          context{std::move(ops), makeComputePool(options.threads), std::make_shared<Arena>()},
          module(artifacts.trainingModel, artifacts.evalModel, *state, context,
                 planOptionsOf(options)),
          seed(options.seed) {
        if (state->isNominal()) return;
        collectGradients();
        if (artifacts.optimizerModel) makeOptimizer();
    }

    void collectGradients() {
        for (const std::string& name : module.trainableParameters()) {
            gradients.push_back(state->parameter(name).gradient);
        }
    }

    void makeOptimizer() {
        optimizer = std::make_unique<Optimizer>(artifacts.optimizerModel,
                                                module.trainableParameters(), *state, context);
    }

    Optimizer& requireOptimizer() {
        if (optimizer) return *optimizer;
        throw Error(
            ErrorCode::State,
            state->isNominal() ? "The state is nominal: it has no parameters."
                               : "No optimizer session initialized.",
            state->isNominal() ? "Load the model parameters first." : "Name an optimizer model.");
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

    /// Depends on what was done, not on how the run got here: a resumed run draws the same numbers.
    uint64_t stepSeed() const {
        const auto done = static_cast<uint64_t>(state->optimizerState().step);
        return Random::at(seed, (done << kBatchBits) + batch);
    }

    Artifacts artifacts;
    std::shared_ptr<CheckpointState> state;
    ExecutionContext context;
    Module module;
    std::vector<Tensor> gradients;  ///< of the trainable parameters
    std::unique_ptr<Optimizer> optimizer;
    uint64_t seed = 0;
    uint64_t batch = 0;  ///< train steps since the latest optimizer step
    uint64_t lastSeed = 0;
    std::shared_ptr<LrSchedule> schedule;
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

ValueType TrainingSession::inputType(const std::string& name) const {
    const Value* value = artifacts().trainingModel->find(name);
    if (value == nullptr && artifacts().evalModel) value = artifacts().evalModel->find(name);
    if (value == nullptr)
        throw Error(ErrorCode::NotFound, "The model has no input '" + name + "'.");
    return value->type();
}

std::span<const Tensor> TrainingSession::trainStep(std::span<const Tensor> inputs) {
    Implementation& self = *implementation_;
    self.lastSeed = self.stepSeed();
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

void TrainingSession::lazyResetGrad() { implementation_->module.lazyResetGrad(); }

void TrainingSession::optimizerStep() {
    implementation_->requireOptimizer().step();
    implementation_->batch = 0;
}

float TrainingSession::learningRate() const {
    return implementation_->requireOptimizer().learningRate();
}

void TrainingSession::setLearningRate(float learningRate) {
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
    const Module& module = implementation_->module;
    int64_t size = 0;
    for (const std::string& name :
         trainableOnly ? module.trainableParameters() : module.parameters()) {
        const ValueType& type = artifacts().trainingModel->at(name)->type();
        size += numElements(*concreteShape(*type.shape));
    }
    return size;
}

Tensor TrainingSession::toBuffer(bool trainableOnly) const {
    const Module& module = implementation_->module;
    Tensor buffer(DType::Float32, {parametersSize(trainableOnly)});
    float* out = buffer.mutableValues<float>().data();
    for (const std::string& name :
         trainableOnly ? module.trainableParameters() : module.parameters()) {
        const auto values = implementation_->state->parameter(name).data.values<float>();
        out = std::copy(values.begin(), values.end(), out);
    }
    return buffer;
}

void TrainingSession::fromBuffer(const Tensor& buffer, bool trainableOnly) {
    const int64_t expected = parametersSize(trainableOnly);
    if (buffer.dtype() != DType::Float32 || buffer.numElements() != expected) {
        throw Error(ErrorCode::InvalidInput,
                    "Parameters buffer size incorrect. Expected: " + std::to_string(expected) +
                        " float32 numbers, found " + std::to_string(buffer.numElements()) + " " +
                        std::string(dtypeName(buffer.dtype())) + ".");
    }
    Implementation& self = *implementation_;
    if (self.state->isNominal()) {
        if (trainableOnly) {
            throw Error(ErrorCode::State,
                        "For nominal checkpoint state, all parameters need to be loaded into the "
                        "model (trainable only: no).");
        }
        self.module.allocateParameters();
        self.collectGradients();
        if (self.artifacts.optimizerModel) self.makeOptimizer();
    }
    const float* from = buffer.values<float>().data();
    for (const std::string& name :
         trainableOnly ? self.module.trainableParameters() : self.module.parameters()) {
        auto values = self.state->parameter(name).data.mutableValues<float>();
        std::copy(from, from + values.size(), values.begin());
        from += values.size();
    }
}

std::unique_ptr<Graph> TrainingSession::inferenceModel(
    const std::vector<std::string>& outputs) const {
    if (!artifacts().evalModel) {
        throw Error(ErrorCode::State,
                    "Eval model was not provided. Cannot export a model for inferencing.",
                    "Name the eval model of the artifacts.");
    }
    return makeInferenceModel(*artifacts().evalModel, *implementation_->state, outputs);
}

void TrainingSession::exportModelForInferencing(const std::filesystem::path& path,
                                                const std::vector<std::string>& outputs) const {
    saveModel(*inferenceModel(outputs), path);
}

double TrainingSession::gradientNorm() const {
    double sum = 0;
    for (const Tensor& gradient : implementation_->gradients) {
        const auto values = gradient.values<float>();
        const float* begin = values.data();
        const auto count = static_cast<int64_t>(values.size());
        for (int64_t block = 0; block < count; block += kBlock) {
            double part = 0;
            for (int64_t i = block; i < std::min(count, block + kBlock); ++i) {
                part += static_cast<double>(begin[i]) * begin[i];
            }
            sum += part;
        }
    }
    return std::sqrt(sum);
}

void TrainingSession::scaleGradients(float factor) {
    ThreadPool& pool = *implementation_->context.pool;
    for (Tensor& gradient : implementation_->gradients) {
        float* values = gradient.mutableValues<float>().data();
        pool.forRanges(gradient.numElements(), kBlock, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) values[i] *= factor;
        });
    }
}

std::string TrainingSession::findNonFinite(std::span<const Tensor> inputs) {
    return implementation_->module.findNonFinite(inputs, implementation_->lastSeed);
}

MemoryUse TrainingSession::memoryUse() const {
    MemoryUse use;
    use.arenaBytes = implementation_->module.arenaBytes();
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
    implementation_->module.setProfile(profile);
    if (implementation_->optimizer) implementation_->optimizer->setProfile(profile);
}

}  // namespace temper
