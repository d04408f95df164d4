// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/training_block.h"

#include "engine/ir/type_inference.h"
#include "engine/training/artifacts/training_graphs.h"

namespace temper::blocks {
namespace {

[[noreturn]] void tooEarly(const std::string& message) {
    throw Error(ErrorCode::State, message, "Call the block with a model and the values it reads.");
}

}  // namespace

Values ForwardBlock::operator()(BlockModel& model, const Values& inputs) {
    Values outputs = Block::operator()(model, inputs);
    model.graph().setOutputs(outputs);
    inferTypes(model.graph(), model.catalog());
    forward_ = model.graph().clone();
    return outputs;
}

std::unique_ptr<Graph> ForwardBlock::toModelProto() const {
    if (!forward_) {
        tooEarly("Please build the forward models first before trying to retrieve it.");
    }
    return forward_->clone();
}

Values TrainingBlock::operator()(BlockModel& model, const Values& inputs) {
    Values outputs = Block::operator()(model, inputs);
    requireSingleNumber(*outputs.front());
    checkNames(model.graph());
    model.graph().setOutputs(outputs);
    inferTypes(model.graph(), model.catalog());
    ParameterNames names;
    for (const auto& [name, trains] : wanted_) {
        (trains ? names.trainable : names.frozen).push_back(name);
    }
    TrainingGraphs graphs =
        makeTrainingGraphs(model.graph().clone(), *ops_, ops_->gradients, names);
    models_ = {std::move(graphs.training), std::move(graphs.eval)};
    parameters_ = std::move(graphs.checkpoint);
    return outputs;
}

/// As ORT's gradient builder; an unknown frozen name does no harm.
void TrainingBlock::checkNames(const Graph& graph) const {
    for (const auto& [name, trains] : wanted_) {
        if (!trains) continue;
        const Value* value = graph.find(name);
        if (value == nullptr) {
            throw Error(ErrorCode::NotFound,
                        "'" + name + "' requires a gradient, but is not found in the graph.",
                        "Specify an initializer or an input of the model.");
        }
        if (!value->uses().empty()) continue;
        throw Error(ErrorCode::InvalidInput,
                    "'" + name + "' requires a gradient, but no node reads it.",
                    "Remove it, or freeze it.");
    }
}

const CheckpointFile& TrainingBlock::parameters() const {
    if (!models_.training) {
        tooEarly("Please build the training model first before trying to retrieve the parameters.");
    }
    return parameters_;
}

const TrainingBlock::Models& TrainingBlock::toModelProto() const {
    if (!models_.training) {
        tooEarly("Please build the training and eval models first before trying to retrieve them.");
    }
    return models_;
}

}  // namespace temper::blocks
