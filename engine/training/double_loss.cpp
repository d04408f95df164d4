// SPDX-License-Identifier: Apache-2.0
#include "engine/training/double_loss.h"

#include <algorithm>

#include "engine/ir/captures.h"

namespace temper {
namespace {

Tensor widened(const Tensor& tensor) {
    return tensor.dtype() == DType::Float32 ? tensor.cast(DType::Float64) : tensor;
}

ValueType widened(ValueType type) {
    if (type.dtype == DType::Float32) type.dtype = DType::Float64;
    return type;
}

/// `to` of Cast and `dtype` of generators name an element type; tensors hold numbers.
void widenAttributes(Node& node) {
    for (const char* name : {"to", "dtype"}) {
        if (node.attribute<int64_t>(name, 0) == static_cast<int64_t>(DType::Float32)) {
            node.setAttribute(name, static_cast<int64_t>(DType::Float64));
        }
    }
    const Attributes attributes = node.attributes();
    for (const auto& [name, attribute] : attributes) {
        if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
            node.setAttribute(name, widened(*tensor));
        } else if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
            node.setAttribute(name, std::shared_ptr<const Graph>(toDoublePrecision(**body)));
        }
    }
}

}  // namespace

std::unique_ptr<Graph> toDoublePrecision(const Graph& graph) {
    std::unique_ptr<Graph> wide = graph.clone();
    for (Value* input : wide->inputs()) input->setType(widened(input->type()));
    for (Value* capture : wide->captures()) capture->setType(widened(capture->type()));
    const std::vector<Value*> initializers = wide->initializers();
    for (Value* value : initializers) wide->setConstant(value, widened(value->constant()));
    for (Node* node : wide->nodes()) {
        widenAttributes(*node);
        for (Value* output : node->outputs()) {
            if (output != nullptr) output->setType(widened(output->type()));
        }
    }
    return wide;
}

DoubleLoss::DoubleLoss(const Graph& trainingModel, const CheckpointState& state,
                       const std::vector<std::string>& inputNames, std::shared_ptr<const OpSet> ops)
    : ops_(std::move(ops)), inputNames_(inputNames) {
    const std::unique_ptr<Graph> forward = trainingModel.clone();
    forward->setOutputs({forward->outputs().front()});
    forward->removeUnused();
    removeUnreadInputs(*forward);
    std::shared_ptr<const Graph> wide = toDoublePrecision(*forward);
    runner_ = std::make_unique<GraphRunner>(wide, ops_->catalog, ops_->cpuKernels,
                                            std::make_shared<Arena>(), pool_);
    for (const Parameter& parameter : state.parameters()) {
        parameters_[parameter.name] = parameter.data.cast(DType::Float64);
        if (wide->find(parameter.name) == nullptr) continue;
        runner_->bindFixed(parameter.name, {parameters_[parameter.name]});
    }
}

std::span<double> DoubleLoss::parameter(const std::string& name) {
    return parameters_.at(name).mutableValues<double>();
}

double DoubleLoss::operator()(std::span<const Tensor> inputs, uint64_t seed) {
    std::vector<Tensor> feeds;
    for (const std::string& name : runner_->fedInputs()) {
        const auto at = std::find(inputNames_.begin(), inputNames_.end(), name);
        TEMPER_ASSERT(at != inputNames_.end(), "what is no parameter is a user input");
        feeds.push_back(widened(inputs[static_cast<size_t>(at - inputNames_.begin())]));
    }
    return runner_->run(feeds, seed).front().toDouble();
}

}  // namespace temper
