// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rehearsal/chosen_gradients.h"

#include <algorithm>
#include <functional>
#include <map>

#include "engine/ir/captures.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/graph_runner.h"

namespace temper {
namespace {

using ValuesByName = std::map<std::string, Tensor>;

/// The named values of the model for these inputs.
ValuesByName computeValues(const Graph& model, const CheckpointState& state,
                           const std::vector<std::string>& inputNames,
                           std::span<const Tensor> inputs, const OpSet& ops,
                           const std::vector<std::string>& names, uint64_t seed) {
    std::shared_ptr<Graph> part = model.clone();
    std::vector<Value*> wanted;
    for (const std::string& name : names) wanted.push_back(part->at(name));
    part->setOutputs(std::move(wanted));
    part->removeUnused();
    removeUnreadInputs(*part);
    ThreadPool pool(1);
    GraphRunner runner(part, ops.catalog, ops.cpuKernels, std::make_shared<Arena>(), pool);
    std::map<std::string, std::vector<Tensor>> fixed;
    for (const Parameter& parameter : state.parameters()) {
        if (part->find(parameter.name) != nullptr) fixed[parameter.name] = {parameter.data};
    }
    runner.bindAllFixed(std::move(fixed));
    std::vector<Tensor> feeds;
    for (const std::string& name : runner.fedInputs()) {
        const auto at = std::ranges::find(inputNames, name);
        feeds.push_back(inputs[static_cast<size_t>(at - inputNames.begin())]);
    }
    const std::span<const Tensor> found = runner.run(feeds, seed);
    ValuesByName values;
    for (size_t i = 0; i < names.size(); ++i) values[names[i]] = found[i].clone();
    return values;
}

Tensor difference(const Tensor& a, const Tensor& b) {
    Tensor result(DType::Float32, a.shape());
    std::ranges::transform(a.values<float>(), b.values<float>(),
                           result.mutableValues<float>().begin(), std::minus<>());
    return result;
}

void passStraight(Graph& model, Value* output, const ValuesByName& values) {
    Value* input = output->producer()->input(0);
    Value* shift = model.addInitializer(
        output->name() + ".shift", difference(values.at(output->name()), values.at(input->name())));
    Node* sum = model.addNode({"Add", {input, shift}, {output->name() + ".shifted"}});
    model.replaceUses(output, sum->output(0));
}

void holdConstant(Graph& model, Value* value, const ValuesByName& values) {
    Value* held = model.addInitializer(value->name() + ".held", values.at(value->name()));
    model.replaceUses(value, held);
}

}  // namespace

std::shared_ptr<const Graph> withChosenGradients(const Graph& trainingModel,
                                                 const CheckpointState& state,
                                                 const std::vector<std::string>& inputNames,
                                                 std::span<const Tensor> inputs, const OpSet& ops,
                                                 const GradientChoices& choices, uint64_t seed) {
    std::shared_ptr<Graph> model = trainingModel.clone();
    std::vector<std::string> names = choices.stopGradient;
    for (const std::string& name : choices.straightThrough) {
        names.push_back(name);
        names.push_back(model->at(name)->producer()->input(0)->name());
    }
    const ValuesByName values =
        computeValues(trainingModel, state, inputNames, inputs, ops, names, seed);
    for (const std::string& name : choices.straightThrough) {
        passStraight(*model, model->at(name), values);
    }
    for (const std::string& name : choices.stopGradient) {
        holdConstant(*model, model->at(name), values);
    }
    inferTypes(*model, ops.catalog);
    return model;
}

}  // namespace temper
