// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/module.h"

#include <algorithm>
#include <iterator>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/required_outputs.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/training/artifacts/training_graphs.h"
#include "engine/training/artifacts/training_opset.h"
#include "engine/training/session/inference_model.h"

namespace temper {
namespace {

constexpr const char* kResetFlag = "lazy_reset_grad";

bool isHidden(std::string_view name) {
    return std::any_of(kReservedEndings.begin(), kReservedEndings.end(),
                       [&](std::string_view ending) { return name.ends_with(ending); });
}

/// Of each gradient, in bytes.
constexpr size_t kAlignment = 64;

size_t roundedUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// The parameter that a gradient buffer belongs to.
std::string parameterOf(const std::string& buffer) {
    return buffer.substr(0, buffer.size() - kGradientBufferEnding.size());
}

void requireFeeds(std::span<const Tensor> feeds, const std::vector<std::string>& names) {
    if (feeds.size() == names.size()) return;
    throw Error(ErrorCode::InvalidInput,
                "The model takes " + counted(names.size(), "input") + " (" + joined(names) +
                    "); found " + std::to_string(feeds.size()) + ".",
                "Feed one array for each.");
}

const Tensor& floatParameter(const CheckpointState& state, const std::string& name) {
    const Tensor& data = state.parameter(name).data;
    if (data.dtype() == DType::Float32) return data;
    throw Error(ErrorCode::Unsupported,
                "Unsupported type: parameter '" + name + "' is " +
                    std::string(dtypeName(data.dtype())) + "; a buffer holds float32 only.",
                "Copy the parameters one by one.");
}

}  // namespace

ExecutionContext ExecutionContext::make(std::shared_ptr<const OpSet> ops, int threads) {
    auto device = makeDevice("cpu", ops->cpuKernels, threads);
    return on(std::move(device), std::move(ops));
}

ExecutionContext ExecutionContext::on(std::shared_ptr<Device> device,
                                      std::shared_ptr<const OpSet> ops,
                                      std::vector<std::string> withoutPasses) {
    requirePlanPasses(withoutPasses);
    std::ranges::copy(device->missingPasses(), std::back_inserter(withoutPasses));
    auto arena = std::make_shared<Arena>(device);
    return {std::move(ops), std::move(device), std::move(arena), std::move(withoutPasses)};
}

Module::Module(std::shared_ptr<const Graph> trainingModel, std::shared_ptr<const Graph> evalModel,
               CheckpointState& state, ExecutionContext context, PlanOptions trainingOptions)
    : trainingModel_(std::move(trainingModel)),
      evalModel_(std::move(evalModel)),
      state_(state),
      context_(std::move(context)),
      trainingOptions_(std::move(trainingOptions)),
      resetFlag_(DType::Bool, {1}, context_.device->memory()) {
    classify();
    requireBuffers();
    state_.moveTo(context_.device->memory());
    if (!state_.isNominal()) allocateGradients();
}

void Module::classify() {
    for (const Value* input : trainingModel_->inputs()) {
        const std::string& name = input->name();
        if (state_.hasParameter(name)) {
            parameters_.push_back(name);
            if (state_.parameter(name).requiresGrad) trainable_.push_back(name);
        } else if (name != kResetFlag && !isHidden(name)) {
            training_.inputs.push_back(name);
        }
    }
    for (const Value* output : trainingModel_->outputs()) {
        if (!isHidden(output->name())) training_.outputs.push_back(output->name());
    }
    if (evalModel_ == nullptr) return;
    for (const Value* input : evalModel_->inputs()) {
        if (!state_.hasParameter(input->name())) eval_.inputs.push_back(input->name());
    }
    for (const Value* output : evalModel_->outputs()) eval_.outputs.push_back(output->name());
}

void Module::requireBuffers() const {
    for (const Parameter& parameter : state_.parameters()) {
        if (!parameter.requiresGrad) continue;
        const Value* buffer = trainingModel_->find(gradientBufferOf(parameter.name));
        if (buffer != nullptr && buffer->isGraphInput()) continue;
        throw Error(ErrorCode::InvalidInput,
                    "Gradient buffer input not provided for param: " + parameter.name + ".",
                    "Use training model and checkpoint of the same artifacts.");
    }
}

/// Like the trainable parameters, in one piece of memory, in training-graph order: ranks exchange
/// neighbours together.
std::vector<Tensor> Module::allocateTogether() const {
    size_t bytes = 0;
    std::vector<size_t> offsets;
    for (const std::string& name : trainable_) {
        offsets.push_back(bytes);
        bytes += roundedUp(state_.parameter(name).data.byteSize(), kAlignment);
    }
    const std::shared_ptr<DeviceMemory>& memory = context_.device->memory();
    const auto all =
        std::make_shared<Tensor>(DType::UInt8, Shape{static_cast<int64_t>(bytes)}, memory);
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < trainable_.size(); ++i) {
        const Tensor& data = state_.parameter(trainable_[i]).data;
        tensors.push_back(
            Tensor::wrap(data.dtype(), data.shape(), all, all->address() + offsets[i], memory));
    }
    return tensors;
}

void Module::allocateGradients() {
    std::vector<Tensor> gradients = allocateTogether();
    for (size_t i = 0; i < trainable_.size(); ++i)
        state_.parameter(trainable_[i]).gradient = std::move(gradients[i]);
}

void Module::joinParameters() {
    std::vector<Tensor> joined = allocateTogether();
    for (size_t i = 0; i < trainable_.size(); ++i) {
        Tensor& data = state_.parameter(trainable_[i]).data;
        joined[i].assign(data);
        data = std::move(joined[i]);
    }
    trainingRunner_.reset();
    evalRunners_.clear();
    bound_.clear();
}

void Module::allocateParameters() {
    for (Parameter& parameter : state_.parameters()) {
        const Value* input = trainingModel_->find(parameter.name);
        if (input == nullptr || !input->type().isStatic()) {
            throw Error(ErrorCode::InvalidInput,
                        "The training model does not give the shape of "
                        "parameter '" +
                            parameter.name + "'.");
        }
        parameter.data = Tensor(input->type().dtype, *concreteShape(*input->type().shape),
                                context_.device->memory());
    }
    state_.setNominal(false);
    allocateGradients();
}

const std::vector<std::string>& Module::inputNames(bool training) const {
    return training ? training_.inputs : eval_.inputs;
}

const std::vector<std::string>& Module::outputNames(bool training) const {
    return training ? training_.outputs : eval_.outputs;
}

void Module::requireParameters(const char* what) const {
    if (!state_.isNominal()) return;
    throw Error(ErrorCode::State, std::string("Cannot perform ") + what +
                                      " with a nominal state. Please load the model parameters "
                                      "first.");
}

std::unique_ptr<GraphRunner> Module::makeRunner(const std::shared_ptr<const Graph>& graph,
                                                const PlanOptions& options) {
    auto runner =
        std::make_unique<GraphRunner>(graph, context_.ops->catalog, context_.device->kernels(),
                                      context_.arena, context_.device->pool(), options);
    std::map<std::string, std::vector<Tensor>> fixed;
    for (const Value* input : graph->inputs()) {
        const std::string& name = input->name();
        if (state_.hasParameter(name)) {
            const Parameter& parameter = state_.parameter(name);
            fixed[name] = {parameter.data};
            if (parameter.staysAsItIs()) bound_[name] = parameter.data.address();
        } else if (name.ends_with(kGradientBufferEnding) &&
                   state_.hasParameter(parameterOf(name))) {
            fixed[name] = {state_.parameter(parameterOf(name)).gradient};
        } else if (name == kResetFlag) {
            fixed[name] = {resetFlag_};
        }
    }
    runner->bindAllFixed(std::move(fixed));
    runner->setProfile(profile_);
    return runner;
}

/// A frozen parameter that was set has another tensor, unknown to the runners.
void Module::forgetOldParameters() {
    const auto isOld = [this](const std::string& name, const std::byte* data) {
        return state_.parameter(name).data.address() != data;
    };
    const bool isAnyOld = std::ranges::any_of(
        bound_, [&](const auto& entry) { return isOld(entry.first, entry.second); });
    if (!isAnyOld) return;
    trainingRunner_.reset();
    evalRunners_.clear();
    bound_.clear();
}

GraphRunner& Module::trainingRunner() {
    forgetOldParameters();
    if (!trainingRunner_) {
        trainingRunner_ = makeRunner(trainingModel_, trainingOptions_);
        trainingRunner_->onWritten(written_);
    }
    return *trainingRunner_;
}

GraphRunner& Module::evalRunner(const std::vector<std::string>& values) {
    if (evalModel_ == nullptr) {
        throw Error(ErrorCode::State,
                    "Evaluation session not initialized: the eval model is missing.",
                    "Generate the artifacts with an eval model, and specify it.");
    }
    forgetOldParameters();
    std::unique_ptr<GraphRunner>& runner = evalRunners_[values];
    if (runner) return *runner;
    std::shared_ptr<Graph> graph = evalModel_->clone();
    std::vector<Value*> outputs;
    for (const std::string& name : values) outputs.push_back(graph->at(name));
    graph->setOutputs(std::move(outputs));
    graph->removeUnused();
    runner = makeRunner(graph, context_.planOptions());
    return *runner;
}

std::span<const Tensor> Module::trainStep(std::span<const Tensor> inputs, uint64_t seed) {
    requireParameters("TrainStep");
    requireFeeds(inputs, training_.inputs);
    setScalar(resetFlag_, !accumulates_);
    const std::span<const Tensor> outputs = trainingRunner().run(inputs, seed);
    accumulates_ = true;
    results_.resize(training_.outputs.size());
    size_t next = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (isHidden(trainingModel_->outputs()[i]->name())) continue;
        Tensor& result = results_[next++];
        result = outputs[i];  // which allocates nothing
        if (!result.isOnHost()) result = result.onHost();
    }
    return results_;
}

std::span<const Tensor> Module::onHost(std::span<const Tensor> outputs) {
    if (context_.device->usesHostMemory()) return outputs;
    results_.assign(outputs.begin(), outputs.end());
    for (Tensor& result : results_) result = result.onHost();
    return results_;
}

std::span<const Tensor> Module::evalStep(std::span<const Tensor> inputs) {
    return evaluate(inputs, eval_.outputs);
}

std::span<const Tensor> Module::evaluate(std::span<const Tensor> inputs,
                                         const std::vector<std::string>& values) {
    requireParameters("EvalStep");
    GraphRunner& runner = evalRunner(values);
    requireFeeds(inputs, eval_.inputs);
    return onHost(runner.run(inputs));
}

int64_t Module::parametersSize(bool trainableOnly) const {
    int64_t size = 0;
    for (const std::string& name : names(trainableOnly)) {
        const std::optional<SymbolicShape>& shape = trainingModel_->at(name)->type().shape;
        size += numElements(shape ? concreteShape(*shape).value_or(Shape{}) : Shape{});
    }
    return size;
}

Tensor Module::toBuffer(bool trainableOnly) const {
    requireParameters("the copy of parameters");
    Tensor buffer(DType::Float32, {parametersSize(trainableOnly)});
    float* out = buffer.mutableValues<float>().data();
    for (const std::string& name : names(trainableOnly)) {
        const Tensor data = floatParameter(state_, name).onHost();
        const auto values = data.values<float>();
        out = std::copy(values.begin(), values.end(), out);
    }
    return buffer;
}

void Module::requireBuffer(const Tensor& buffer, bool trainableOnly) const {
    const int64_t expected = parametersSize(trainableOnly);
    if (buffer.dtype() == DType::Float32 && buffer.numElements() == expected) return;
    throw Error(ErrorCode::InvalidInput, "Parameters buffer size incorrect. Expected: " +
                                             counted(expected, "float32 number") + ", found " +
                                             std::to_string(buffer.numElements()) + " " +
                                             std::string(dtypeName(buffer.dtype())) + ".");
}

void Module::fromBuffer(const Tensor& buffer, bool trainableOnly) {
    requireBuffer(buffer, trainableOnly);
    if (state_.isNominal()) {
        if (trainableOnly) {
            throw Error(ErrorCode::State,
                        "For nominal checkpoint state, all parameters need to be loaded into the "
                        "model (trainable only: no).");
        }
        allocateParameters();
    }
    const float* from = buffer.values<float>().data();
    for (const std::string& name : names(trainableOnly)) {
        const Shape& shape = floatParameter(state_, name).shape();
        const Tensor values =
            Tensor::of<float>(shape, {from, static_cast<size_t>(numElements(shape))});
        state_.setParameter(name, values);
        from += values.numElements();
    }
}

std::unique_ptr<Graph> Module::inferenceModel(const std::vector<std::string>& outputs) const {
    if (!evalModel_) {
        throw Error(ErrorCode::State,
                    "Eval model was not provided. Cannot export a model for inferencing.",
                    "Specify the eval model of the artifacts.");
    }
    std::unique_ptr<Graph> model = makeInferenceModel(*evalModel_, state_, outputs);
    restoreOpset(*model, context_.ops->catalog);
    return model;
}

void Module::exportModelForInferencing(const std::filesystem::path& path,
                                       const std::vector<std::string>& outputs) const {
    const std::unique_ptr<Graph> model = inferenceModel(outputs);
    if (isOrtPath(path)) completeForOrtFormat(*model, context_.ops->catalog);
    saveModel(*model, path,
              {.externalData = state_.hasExternalData(), .externalDataThreshold = 65});
}

std::string Module::findNonFinite(std::span<const Tensor> inputs, uint64_t seed) {
    // the step in question has spoilt the buffers: they would be found before the source of the
    // damage
    for (const std::string& name : trainable_) {
        Tensor& gradient = state_.parameter(name).gradient;
        gradient.assign(Tensor(gradient.dtype(), gradient.shape()));
    }
    const std::string origin = trainingRunner().findNonFinite(inputs, seed);
    for (const Parameter& parameter : state_.parameters()) {
        if (origin == "input '" + parameter.name + "'") return "parameter '" + parameter.name + "'";
    }
    return origin;
}

size_t Module::arenaBytes() const {
    size_t bytes = trainingRunner_ ? trainingRunner_->arenaBytes() : 0;
    for (const auto& [values, runner] : evalRunners_) bytes = std::max(bytes, runner->arenaBytes());
    return bytes;
}

size_t Module::activationBytes() const {
    return trainingRunner_ ? trainingRunner_->activationBytes() : 0;
}

void Module::onWritten(const WrittenCallback& callback) {
    written_ = callback;
    if (trainingRunner_) trainingRunner_->onWritten(callback);
}

void Module::setProfile(Profile* profile) {
    profile_ = profile;
    if (trainingRunner_) trainingRunner_->setProfile(profile);
    for (const auto& [values, runner] : evalRunners_) runner->setProfile(profile);
}

}  // namespace temper
