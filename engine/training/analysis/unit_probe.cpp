// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/unit_probe.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/core/interruption.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/cpu/compute_pool.h"
#include "engine/training/analysis/predictor.h"
#include "engine/training/edits/dense_layers.h"
#include "engine/training/session/inference_model.h"

namespace temper {
namespace {

/// As [units, inputs].
Tensor weightOf(const DenseLayer& layer) {
    const Tensor weight = layer.weight->constant().cast(DType::Float32);
    if (layer.unitAxis == 0) return weight.clone();
    Tensor turned(DType::Float32, {layer.units(), layer.inputs()});
    const auto units = static_cast<size_t>(layer.units());
    const auto inputs = static_cast<size_t>(layer.inputs());
    for (size_t unit = 0; unit < units; ++unit) {
        for (size_t from = 0; from < inputs; ++from)
            turned.mutableValues<float>()[unit * inputs + from] =
                weight.values<float>()[from * units + unit];
    }
    return turned;
}

UnitLayer describe(const DenseLayer& layer) {
    UnitLayer described{layer.name(), {}, weightOf(layer)};
    for (const Node* node : layer.activation) described.activations.push_back(node->opType());
    return described;
}

[[noreturn]] void throwNotDense() {
    throw Error(ErrorCode::Unsupported,
                "The model's last layers are not fully connected, one row for each sample; its "
                "units can't be shown.",
                "Use a model whose last layers are Gemm or MatMul of two dimensions.");
}

}  // namespace

UnitProbe::UnitProbe(const Graph& evalModel, const CheckpointState& state,
                     std::shared_ptr<const OpSet> ops, int threads)
    : ops_(std::move(ops)), pool_(makeComputePool(threads)), arena_(std::make_shared<Arena>()) {
    const std::shared_ptr<Graph> graph =
        makeInferenceModel(evalModel, state, {predictionOf(describeLoss(evalModel))});
    inferTypes(*graph, ops_->catalog);
    std::vector<Value*> outputs;
    for (const DenseLayer& layer : findDenseLayers(*graph, ops_->catalog)) {
        layers_.push_back(describe(layer));
        outputs.push_back(layer.output());
        if (layer.output()->type().rank() != 2) throwNotDense();
    }
    if (layers_.empty()) throwNotDense();
    graph->setOutputs(outputs);
    graph->removeUnused();
    graph_ = graph;
    runner_ =
        std::make_unique<GraphRunner>(graph_, ops_->catalog, ops_->cpuKernels, arena_, *pool_);
}

ValueType UnitProbe::inputType(const std::string& name) const { return graph_->at(name)->type(); }

std::vector<Tensor> UnitProbe::responses(std::span<const Tensor> inputs) {
    std::vector<Tensor> own;
    for (const Tensor& output : runner_->run(inputs))
        own.push_back(output.cast(DType::Float32).clone());
    return own;
}

Tensor excitingDirections(const Tensor& responses, const Tensor& samples) {
    TEMPER_ASSERT(
        responses.rank() == 2 && samples.rank() >= 1 && responses.shape()[0] == samples.shape()[0],
        "a row of responses for each sample");
    const auto rows = static_cast<size_t>(responses.shape()[0]);
    const auto units = static_cast<size_t>(responses.shape()[1]);
    const auto elements =
        static_cast<size_t>(rows == 0 ? 0 : numElements(samples.shape()) / responses.shape()[0]);
    Tensor result(DType::Float32, {static_cast<int64_t>(units), static_cast<int64_t>(elements)});
    const std::span<const float> x = samples.values<float>(), r = responses.values<float>();
    std::vector<double> mean(elements), sums(elements);
    for (size_t row = 0; row < rows; ++row)
        for (size_t at = 0; at < elements; ++at)
            mean[at] += double{x[row * elements + at]} / double(rows);
    for (size_t unit = 0; unit < units; ++unit) {
        InterruptionScope::check();
        double average = 0, variance = 0;
        for (size_t row = 0; row < rows; ++row)
            average += double{r[row * units + unit]} / double(rows);
        std::fill(sums.begin(), sums.end(), 0.0);
        for (size_t row = 0; row < rows; ++row) {
            const double excess = double{r[row * units + unit]} - average;
            variance += excess * excess / double(rows);
            for (size_t at = 0; at < elements; ++at)
                sums[at] += excess * (double{x[row * elements + at]} - mean[at]);
        }
        const double deviation = std::sqrt(variance) * double(rows);
        for (size_t at = 0; at < elements && deviation > 0; ++at)
            result.mutableValues<float>()[unit * elements + at] =
                static_cast<float>(sums[at] / deviation);
    }
    return result;
}

}  // namespace temper
