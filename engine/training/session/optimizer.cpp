// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/optimizer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/session/moment_check.h"
#include "engine/training/session/run_properties.h"

namespace temper {
namespace {

/// An optimizer model has one of these operators. The model's inputs determine how many moments it
/// keeps.
constexpr std::array<std::string_view, 3> kOptimizers = {"AdamWOptimizer", "SGDOptimizerV2",
                                                         "OptimizerStep"};

const std::vector<std::string>& inputNames() {
    static const std::vector<std::string> kNames = {
        "learning_rate",       "step", "params", "gradients", "first_order_moments",
        "second_order_moments"};
    return kNames;
}

/// AdamW has two moments.
size_t momentsOf(const Node& node) {
    if (node.opType() == "AdamWOptimizer") return 2;
    return node.opType() == "SGDOptimizerV2" ? 1 : node.inputs().size() - 4;
}

/// The flag has one element.
bool isTrue(const Tensor& flag) {
    return flag.isOnHost() ? flag.values<bool>().front() : isTrue(flag.onHost());
}

std::string listed(const std::vector<std::string>& names) { return "[" + joined(names) + "]"; }

}  // namespace

/// Returns the node that updates.
const Node& Optimizer::checkModel() const {
    const Node* used = nullptr;
    size_t nodes = 0;
    for (const Node* node : model_->nodes()) {
        if (std::ranges::find(kOptimizers, node->opType()) == kOptimizers.end()) continue;
        used = node;
        ++nodes;
    }
    if (nodes != 1) {
        throw Error(ErrorCode::InvalidInput,
                    "The optimizer model has " + counted(nodes, "optimizer node") +
                        "; expected one AdamWOptimizer, SGDOptimizerV2 or "
                        "temper.OptimizerStep.",
                    "Generate the optimizer model with Temper or ONNX Runtime.");
    }
    const std::vector<std::string> actual = namesOf(model_->inputs());
    const auto count = static_cast<std::ptrdiff_t>(4 + momentsOf(*used));
    const std::vector<std::string> expected(inputNames().begin(), inputNames().begin() + count);
    if (actual != expected) {
        throw Error(ErrorCode::InvalidInput,
                    "Invalid graph inputs of the optimizer model: expected " + listed(expected) +
                        ", found " + listed(actual) + ".",
                    "Generate the optimizer model with Temper or ONNX Runtime.");
    }
    return *used;
}

/// A model with groups lists the parameters in the order of its numbers.
std::vector<std::string> Optimizer::orderOf(const Node& node,
                                            const std::vector<std::string>& parameters) const {
    const auto named = node.attribute<std::vector<std::string>>("parameters");
    if (!named) return parameters;
    if (std::ranges::is_permutation(*named, parameters)) return *named;
    throw Error(ErrorCode::InvalidInput,
                "The optimizer model has numbers for " + listed(*named) +
                    "; expected the trained parameters, " + listed(parameters) + ".",
                "Generate the artifacts together.");
}

Optimizer::Optimizer(std::shared_ptr<const Graph> model, const std::vector<std::string>& parameters,
                     CheckpointState& state, const ExecutionContext& context)
    : model_(executableOptimizer(std::move(model))),
      state_(state),
      context_(context),
      rate_(DType::Float32, {1}, context_.device->memory()),
      step_(DType::Int64, {1}, context_.device->memory()) {
    state_.moveTo(context_.device->memory());
    const Node& node = checkModel();
    parameters_ = orderOf(node, parameters);
    momentCount_ = momentsOf(node);
    if (!state_.isNominal()) bind();
}

void Optimizer::bind() {
    PlanOptions options = context_.planOptions();
    options.phase = "optimizer";
    runner_ =
        std::make_unique<GraphRunner>(model_, context_.ops->catalog, context_.device->kernels(),
                                      context_.arena, context_.device->pool(), options);
    runner_->setProfile(profile_);
    std::vector<Tensor> weights;
    std::vector<Tensor> gradients;
    for (const std::string& name : parameters_) {
        weights.push_back(state_.parameter(name).data);
        gradients.push_back(state_.parameter(name).gradient);
    }
    runner_->bindFixed("learning_rate", {rate_});
    runner_->bindFixed("step", {step_});
    runner_->bindFixed("params", std::move(weights));
    runner_->bindFixed("gradients", std::move(gradients));
    runner_->bindFixed("first_order_moments", moments(parameters_, "momentum0"));
    if (momentCount_ > 1) {
        runner_->bindFixed("second_order_moments", moments(parameters_, "momentum1"));
    }
    state_.setHasOptimizerState(true);
}

std::vector<Tensor> Optimizer::moments(const std::vector<std::string>& parameters,
                                       const std::string& name) {
    std::vector<Tensor> result;
    for (const std::string& parameter : parameters) {
        const Parameter& owner = state_.parameter(parameter);
        const Tensor& data = owner.data;
        Tensor& moment = state_.optimizerState().moments[parameter][name];
        if (moment.empty()) moment = Tensor(data.dtype(), data.shape(), data.memory());
        requireMomentFits(owner, name, moment);
        result.push_back(moment);
    }
    return result;
}

float Optimizer::learningRate() const {
    return keptLearningRate(state_).value_or(kDefaultLearningRate);
}

void Optimizer::setLearningRate(float learningRate) { keepLearningRate(state_, learningRate); }

void Optimizer::setInitialLearningRate(float learningRate) {
    state_.optimizerState().initialLearningRate = learningRate;
    setLearningRate(learningRate);
}

void Optimizer::setProfile(Profile* profile) {
    profile_ = profile;
    if (runner_) runner_->setProfile(profile);
}

void Optimizer::step() {
    if (state_.isNominal()) {
        throw Error(ErrorCode::State,
                    "Cannot perform OptimizerStep with a nominal state. Please load the model "
                    "parameters first.");
    }
    if (!runner_) bind();
    setScalar(rate_, learningRate());
    setScalar(step_, state_.optimizerState().step + 1);
    const std::span<const Tensor> outputs = runner_->run({});
    const bool updated = outputs.empty() || outputs.front().empty() || isTrue(outputs.front());
    if (updated) ++state_.optimizerState().step;
}

}  // namespace temper
