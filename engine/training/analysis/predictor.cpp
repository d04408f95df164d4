// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/predictor.h"

#include <algorithm>
#include <cmath>

#include "engine/autodiff/gradient_graph.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/cpu/compute_pool.h"
#include "engine/training/artifacts/frozen_statistics.h"
#include "engine/training/session/inference_model.h"

namespace temper {
namespace {

constexpr const char* kSeed = "temper.gradient_seed";

TaskKind kindOf(const LossInfo& loss) {
    if (loss.kind == "cross-entropy") return TaskKind::Classes;
    return loss.kind == "bce-with-logits" ? TaskKind::Binary : TaskKind::Numbers;
}

/// Row (n, i) of [N, C, inner] becomes row n * inner + i.
Tensor asRows(const Tensor& logits) {
    TEMPER_ASSERT(logits.rank() >= 2, "logits have a batch and a class dimension");
    const int64_t rows = logits.shape()[0];
    const int64_t classes = logits.shape()[1];
    const int64_t inner = rows * classes > 0 ? logits.numElements() / (rows * classes) : 1;
    Tensor result(DType::Float32, {rows * inner, classes});
    const std::span<const float> from = logits.values<float>();
    float* out = result.mutableValues<float>().data();
    for (int64_t n = 0; n < rows; ++n) {
        for (int64_t i = 0; i < inner; ++i) {
            for (int64_t c = 0; c < classes; ++c) {
                *out++ = from[static_cast<size_t>((n * classes + c) * inner + i)];
            }
        }
    }
    return result;
}

void softmaxRow(std::span<float> row) {
    const float highest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (float& value : row) {
        value = std::exp(value - highest);
        sum += value;
    }
    for (float& value : row) value = static_cast<float>(value / sum);
}

Tensor noAndYes(const Tensor& logits) {
    Tensor result(DType::Float32, {logits.numElements(), 2});
    float* out = result.mutableValues<float>().data();
    for (const float logit : logits.values<float>()) {
        const float yes = 1 / (1 + std::exp(-logit));
        *out++ = 1 - yes;
        *out++ = yes;
    }
    return result;
}

/// 1 where the output's index among the elements of a sample is `output`, for all entries of the
/// dimensions after the class dimension.
Tensor seedFor(const Tensor& prediction, int64_t output) {
    Tensor seed(DType::Float32, prediction.shape());
    const int64_t rows = prediction.rank() > 0 ? prediction.shape()[0] : 1;
    const int64_t outputs = prediction.rank() > 1 ? prediction.shape()[1] : 1;
    const int64_t inner = rows * outputs > 0 ? prediction.numElements() / (rows * outputs) : 0;
    TEMPER_ASSERT(output >= 0 && output < outputs, "the output is one of the model's");
    for (int64_t n = 0; n < rows; ++n) {
        const auto begin = static_cast<std::ptrdiff_t>((n * outputs + output) * inner);
        std::fill_n(seed.mutableValues<float>().begin() + begin, inner, 1.0F);
    }
    return seed;
}

}  // namespace

std::string predictionOf(const LossInfo& loss) {
    if (!loss.prediction.empty()) return loss.prediction;
    if (loss.predictions.size() == 1) return loss.predictions.front();
    throw Error(ErrorCode::Unsupported,
                "The loss does not determine which model output is the prediction.",
                "To see single predictions, choose a loss that reads one output.");
}

Predictor::Predictor(const Graph& evalModel, const CheckpointState& state,
                     std::shared_ptr<const OpSet> ops, int threads)
    : ops_(std::move(ops)),
      pool_(makeComputePool(threads)),
      arena_(std::make_shared<Arena>()),
      loss_(describeLoss(evalModel)),
      kind_(kindOf(loss_)) {
    std::vector<std::string> outputs{predictionOf(loss_)};
    if (!loss_.labels.empty()) outputs.push_back(loss_.labels);
    graph_ = makeInferenceModel(evalModel, state, outputs);
    runner_ =
        std::make_unique<GraphRunner>(graph_, ops_->catalog, ops_->cpuKernels, arena_, *pool_);
}

ValueType Predictor::inputType(const std::string& name) const { return graph_->at(name)->type(); }

Tensor Predictor::predict(std::span<const Tensor> inputs) {
    const std::span<const Tensor> outputs = runner_->run(inputs);
    if (outputs.size() > 1) madeLabels_ = outputs[1].cast(DType::Int64).clone();
    return outputs[0].cast(DType::Float32).clone();
}

Tensor Predictor::probabilities(std::span<const Tensor> inputs) {
    return toProbabilities(predict(inputs), kind_);
}

Tensor Predictor::inputGradient(std::span<const Tensor> inputs, size_t index, int64_t output) {
    const Tensor seed = seedFor(predict(inputs), output);
    std::shared_ptr<Graph> graph = graph_->clone();
    inferTypes(*graph, ops_->catalog);
    Value* input = graph->at(inputNames().at(index));
    const GradientRules rules =
        ops_->gradients.withoutTrainingForm(resolveFrozenStatistics(*graph, {"*"}).outputs);
    Value* prediction =
        applyTrainingForms(*graph, ops_->catalog, rules, graph->outputs().front(), {input});
    Value* direction = graph->addInput(kSeed, prediction->type());
    const std::vector<Value*> gradients = buildGradients(
        *graph, ops_->catalog, rules, {GradientSeed{prediction, direction}}, {input});
    graph->setOutputs({gradients.front()});
    graph->removeUnused();
    GraphRunner runner(graph, ops_->catalog, ops_->cpuKernels, arena_, *pool_);
    std::vector<Tensor> feeds;
    for (const std::string& name : runner.fedInputs()) {
        const auto found = std::find(inputNames().begin(), inputNames().end(), name);
        feeds.push_back(name == kSeed ? seed
                                      : inputs[static_cast<size_t>(found - inputNames().begin())]);
    }
    return runner.run(feeds)[0].clone();
}

Tensor toProbabilities(const Tensor& prediction, TaskKind kind) {
    if (kind == TaskKind::Binary) return noAndYes(prediction);
    if (kind == TaskKind::Numbers) {
        const int64_t rows = prediction.rank() > 0 ? prediction.shape()[0] : 1;
        return prediction.reshaped({rows, rows > 0 ? prediction.numElements() / rows : 0});
    }
    Tensor result = asRows(prediction);
    const auto classes = static_cast<size_t>(result.shape()[1]);
    const std::span<float> values = result.mutableValues<float>();
    for (size_t at = 0; classes > 0 && at < values.size(); at += classes) {
        softmaxRow(values.subspan(at, classes));
    }
    return result;
}

}  // namespace temper
