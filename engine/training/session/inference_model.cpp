// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/inference_model.h"

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/ir/captures.h"
#include "engine/training/loss/loss_info.h"

namespace temper {
namespace {

std::vector<Value*> findOutputs(const Graph& graph, const std::vector<std::string>& names) {
    if (names.empty()) {
        throw Error(ErrorCode::InvalidInput, "The inference model has no output.",
                    "Specify at least one value of the eval model.");
    }
    std::vector<Value*> outputs;
    for (const std::string& name : names) {
        Value* value = graph.find(name);
        if (value == nullptr || value->producer() == nullptr) {
            const std::string reads = joinedQuoted(describeLoss(graph).predictions);
            throw Error(ErrorCode::NotFound,
                        "Expected graph output for inference graph '" + name +
                            "' could not be found in the eval model.",
                        reads.empty() ? "'temper inspect' lists the outputs."
                                      : "The loss reads " + reads + ".");
        }
        outputs.push_back(value);
    }
    return outputs;
}

}  // namespace

std::unique_ptr<Graph> makeInferenceModel(const Graph& evalModel, const CheckpointState& state,
                                          const std::vector<std::string>& outputs) {
    if (state.isNominal()) {
        throw Error(
            ErrorCode::State,
            "Cannot export the model with a nominal state. Please load the model parameters "
            "first.");
    }
    std::unique_ptr<Graph> graph = evalModel.clone();
    graph->setOutputs(findOutputs(*graph, outputs));
    std::vector<std::pair<Value*, Tensor>> trained;
    for (Value* input : graph->inputs()) {
        if (!state.hasParameter(input->name())) continue;
        const Parameter& parameter = state.parameter(input->name());
        trained.emplace_back(
            input, parameter.staysAsItIs() ? parameter.data.onHost() : parameter.data.clone());
    }
    graph->inputsToInitializers(std::move(trained));
    graph->removeUnused();
    removeUnreadInputs(*graph);
    return graph;
}

size_t copyParametersToModel(const CheckpointState& state, Graph& model) {
    if (state.isNominal()) {
        throw Error(ErrorCode::State, "Cannot load a nominal checkpoint to a model.",
                    "Load the model parameters first.");
    }
    size_t replaced = 0;
    for (Value* value : std::vector<Value*>(model.initializers())) {
        if (!state.hasParameter(value->name())) continue;
        const Tensor& data = state.parameter(value->name()).data;
        if (data.dtype() != value->constant().dtype() ||
            data.shape() != value->constant().shape()) {
            throw Error(ErrorCode::InvalidInput,
                        "Parameter '" + value->name() + "' has shape " + formatShape(data.shape()) +
                            " in the checkpoint and " + formatShape(value->constant().shape()) +
                            " in the model.",
                        "Specify the model that the checkpoint belongs to.");
        }
        model.setConstant(value, data.clone());
        ++replaced;
    }
    return replaced;
}

}  // namespace temper
