// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/classic_artifacts.h"

#include <algorithm>

#include "engine/autodiff/trainability.h"
#include "engine/core/joined.h"
#include "engine/ir/captures.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/training/ort_classic/weight_groups.h"

namespace temper::classic {
namespace {

bool scalesLoss(const TrainingParameters& parameters) {
    return parameters.lossScale != 0 || parameters.dynamicLossScale.has_value();
}

/// A float scalar that an immutable entry refers to.
bool isImmutable(const Value& value, const TrainingParameters& parameters) {
    const Tensor& data = value.constant();
    if (data.dtype() != DType::Float32 || data.rank() != 0) return false;
    return std::any_of(value.uses().begin(), value.uses().end(), [&](const Value::Use& use) {
        const auto op = parameters.immutableWeights.find(use.node->opType());
        if (op == parameters.immutableWeights.end()) return false;
        const auto entry = op->second.find(use.input);
        return entry != op->second.end() && entry->second == data.values<float>().front();
    });
}

void requireInitializers(const Graph& graph, const std::vector<std::string>& names,
                         const char* list) {
    for (const std::string& name : names) {
        const Value* value = graph.find(name);
        if (value != nullptr && value->isInitializer()) continue;
        throw Error(ErrorCode::InvalidInput,
                    "'" + name + "' in '" + list + "' is not a weight of the model.",
                    "Specify initializers of the model.");
    }
}

class Builder {
public:
    Builder(const Graph& model, const TrainingParameters& parameters, const OpSet& ops)
        : graph_(model.clone()), parameters_(parameters), ops_(ops) {}

    ClassicArtifacts run() {
        requireLoss();
        requireInitializers(*graph_, parameters_.weightsToTrain, "weights_to_train");
        requireInitializers(*graph_, parameters_.weightsNotToTrain, "weights_not_to_train");
        const std::vector<std::string> outputs = namesOf(graph_->outputs());
        result_.differentiated = parameters_.lossOutputName;
        if (scalesLoss(parameters_)) scaleLoss();
        result_.artifacts = generateArtifacts(*graph_, ops_, specFor(outputs));
        makeGroups();
        return std::move(result_);
    }

private:
    void requireLoss() const {
        const Value* loss = graph_->find(parameters_.lossOutputName);
        if (loss != nullptr && loss->producer() != nullptr) return;
        throw Error(ErrorCode::NotFound,
                    "The model computes no value '" + parameters_.lossOutputName +
                        "', which 'loss_output_name' names.",
                    "Its outputs are: " + joined(graph_->outputs(), &Value::name) + ".");
    }

    /// Source: spec/training_api.md section 10.1, loss_scale.
    void scaleLoss() {
        result_.lossScaleInput = graph_->uniqueName("loss_scale");
        Value* scale =
            graph_->addInput(result_.lossScaleInput, {DType::Float32, {{Dim::of(1)}}, false});
        const std::string name = graph_->uniqueName("scaled_loss");
        graph_->addNode({"Mul", {graph_->at(parameters_.lossOutputName), scale}, {name}});
        result_.differentiated = name;
    }

    ArtifactSpec specFor(const std::vector<std::string>& outputs) const {
        ArtifactSpec spec;
        spec.loss = {"none", {}};
        spec.optimizer = {"none", {}};
        spec.lossInputs = {result_.differentiated};
        for (const std::string& name : outputs) {
            const Value& output = *graph_->at(name);
            const bool isComputed = output.producer() != nullptr && output.type().isTensor();
            if (isComputed && name != result_.differentiated) spec.extraOutputs.push_back(name);
        }
        spec.trainable = parameters_.weightsToTrain;
        spec.frozen = parameters_.weightsNotToTrain;
        if (spec.trainable.empty()) addImmutable(spec.frozen);
        return spec;
    }

    void addImmutable(std::vector<std::string>& frozen) const {
        for (const Value* value : graph_->initializers()) {
            if (isImmutable(*value, parameters_)) frozen.push_back(value->name());
        }
    }

    void makeGroups() {
        std::vector<std::string> weights;
        for (const NamedTensor& weight : result_.artifacts.checkpoint.trainable) {
            weights.push_back(weight.name);
        }
        if (weights.empty()) {
            throw Error(
                ErrorCode::InvalidInput,
                "No weight of the model trains with the loss '" + parameters_.lossOutputName + "'.",
                "Choose weights that influence the loss.");
        }
        const int64_t opset = result_.artifacts.trainingModel->info().onnxOpset();
        result_.groups = makeWeightGroups(weights, parameters_, ops_.catalog, opset);
        result_.maxNorm = clipNormOf(weights, parameters_);
    }

    std::unique_ptr<Graph> graph_;
    const TrainingParameters& parameters_;
    const OpSet& ops_;
    ClassicArtifacts result_;
};

/// The part of the training model that the named values need.
void savePart(const Graph& trainingModel, const std::vector<std::string>& outputs,
              const std::filesystem::path& path) {
    std::unique_ptr<Graph> part = trainingModel.clone();
    std::vector<Value*> values;
    for (const std::string& name : outputs) values.push_back(part->at(name));
    part->setOutputs(std::move(values));
    part->removeUnused();
    removeUnreadInputs(*part);
    saveModel(*part, path);
}

/// "train.onnx" to "train.optimizer1.onnx".
std::filesystem::path besideAs(std::filesystem::path path, size_t group) {
    const std::string extension = path.extension().string();
    path.replace_extension(".optimizer" + std::to_string(group + 1) + extension);
    return path;
}

}  // namespace

ClassicArtifacts makeClassicArtifacts(const Graph& model, const TrainingParameters& parameters,
                                      const OpSet& ops) {
    return Builder(model, parameters, ops).run();
}

void saveStages(const ClassicArtifacts& classic, const TrainingParameters& parameters) {
    const Graph& training = *classic.artifacts.trainingModel;
    std::vector<std::string> outputs = namesOf(classic.artifacts.evalModel->outputs());
    const auto& forward = parameters.modelAfterGraphTransformsPath;
    if (!forward.empty()) savePart(training, outputs, forward);
    for (const NamedTensor& weight : classic.artifacts.checkpoint.trainable) {
        outputs.push_back(weight.name + "_grad");
    }
    const auto& gradients = parameters.modelWithGradientGraphPath;
    if (!gradients.empty()) savePart(training, outputs, gradients);
    const auto& whole = parameters.modelWithTrainingGraphPath;
    if (whole.empty()) return;
    saveModel(training, whole);
    for (size_t i = 0; i < classic.groups.size(); ++i) {
        saveModel(*classic.groups[i].optimizerModel, besideAs(whole, i));
    }
}

}  // namespace temper::classic
