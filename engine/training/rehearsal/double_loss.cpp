// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rehearsal/double_loss.h"

#include <algorithm>

#include "engine/ir/captures.h"
#include "engine/training/artifacts/training_graphs.h"
#include "engine/training/edits/element_types.h"

namespace temper {
namespace {

Tensor widened(const Tensor& tensor) {
    return tensor.dtype() == DType::Float32 ? tensor.cast(DType::Float64) : tensor;
}

}  // namespace

std::unique_ptr<Graph> toDoublePrecision(const Graph& graph) {
    std::unique_ptr<Graph> wide = graph.clone();
    changeElementTypes(*wide, [](const std::string&, DType type, TypeSource) {
        return type == DType::Float32 ? DType::Float64 : type;
    });
    return wide;
}

DoubleLoss::DoubleLoss(const Graph& trainingModel, const CheckpointState& state,
                       const std::vector<std::string>& inputNames, std::shared_ptr<const OpSet> ops)
    : ops_(std::move(ops)), model_(trainingModel.clone()), inputNames_(inputNames) {
    for (const Parameter& parameter : state.parameters())
        parameters_[parameter.name] = parameter.data.cast(DType::Float64);
    std::unique_ptr<Graph> forward = model_->clone();
    forward->setOutputs({forward->outputs().front()});
    runner_ = runnerOf(std::move(forward));
}

/// A runner for what the graph's outputs need, in float64.
std::unique_ptr<GraphRunner> DoubleLoss::runnerOf(std::unique_ptr<Graph> graph) {
    graph->removeUnused();
    removeUnreadInputs(*graph);
    std::shared_ptr<const Graph> wide = toDoublePrecision(*graph);
    auto runner = std::make_unique<GraphRunner>(wide, ops_->catalog, ops_->cpuKernels,
                                                std::make_shared<Arena>(), pool_);
    std::map<std::string, std::vector<Tensor>> fixed;
    for (const auto& [name, data] : parameters_)
        if (wide->find(name) != nullptr) fixed[name] = {data};
    runner->bindAllFixed(std::move(fixed));
    return runner;
}

std::span<double> DoubleLoss::parameter(const std::string& name) {
    return parameters_.at(name).mutableValues<double>();
}

std::span<const Tensor> DoubleLoss::run(GraphRunner& runner, std::span<const Tensor> inputs,
                                        uint64_t seed) {
    std::vector<Tensor> feeds;
    for (const std::string& name : runner.fedInputs()) {
        const auto at = std::find(inputNames_.begin(), inputNames_.end(), name);
        TEMPER_ASSERT(at != inputNames_.end(), "an input that is not a parameter is a user input");
        feeds.push_back(widened(inputs[static_cast<size_t>(at - inputNames_.begin())]));
    }
    return runner.run(feeds, seed);
}

double DoubleLoss::operator()(std::span<const Tensor> inputs, uint64_t seed) {
    return run(*runner_, inputs, seed).front().toDouble();
}

std::map<std::string, std::vector<double>> DoubleLoss::gradients(std::span<const Tensor> inputs,
                                                                 uint64_t seed) {
    std::unique_ptr<Graph> graph = model_->clone();
    std::vector<std::string> names;
    std::vector<Value*> outputs;
    for (const auto& [name, data] : parameters_) {
        const Value* buffer = graph->find(gradientBufferOf(name));
        if (buffer == nullptr) continue;  // it is frozen
        names.push_back(name);
        outputs.push_back(buffer->uses().front().node->input(1));
    }
    graph->setOutputs(outputs);
    const std::unique_ptr<GraphRunner> runner = runnerOf(std::move(graph));
    const std::span<const Tensor> found = run(*runner, inputs, seed);
    std::map<std::string, std::vector<double>> gradients;
    for (size_t i = 0; i < names.size(); ++i) {
        const auto values = found[i].values<double>();
        gradients[names[i]] = {values.begin(), values.end()};
    }
    return gradients;
}

}  // namespace temper
