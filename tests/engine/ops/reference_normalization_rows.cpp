// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/engine/ops/reference_rows.h"

namespace temper::test {
namespace {

/// The statistics are cast to integers, so that they need no gradient.
void addBatchNorm(ReferenceRows& rows) {
    const std::vector<std::pair<Shape, const char*>> cases = {
        {{3, 3, 2, 4}, "epsilon = 0.00001, "},
        {{3, 1, 2, 4}, "epsilon = 0.00001, "},
        {{1, 4, 2}, "epsilon = 0.00001, "},
        {{1, 4, 2}, ""},
        {{6, 5, 3, 2, 4}, "epsilon = 0.00001, "}};
    for (const auto& [shape, epsilon] : cases) {
        const Shape channels = {shape[1]};
        Tensor variance = normalTensor(channels, 5);
        for (float& v : variance.mutableValues<float>()) v = std::abs(v) + 0.1F;
        rows.push_back(
            {"BatchNormInternal, " + formatShape(shape) + " " + epsilon,
             {"y, a, b, c, d = com.microsoft.BatchNormInternal<" + std::string(epsilon) +
                  "momentum = 0.1>(x, s, o, m, v) ia = Cast<to = 7>(a) ib = Cast<to = 7>(b) "
                  "ic = Cast<to = 7>(c) id = Cast<to = 7>(d)",
              {{"x", normalTensor(shape)},
               {"s", normalTensor(channels, 2)},
               {"o", normalTensor(channels, 3)},
               {"m", normalTensor(channels, 4)},
               {"v", variance}},
              12,
              {"m", "v"}}});
    }
}

void addLayerNorm(ReferenceRows& rows) {
    rows.push_back({"LayerNormalization",
                    {"y, m, d = LayerNormalization(x, s, b) im = Cast<to = 7>(m) "
                     "id = Cast<to = 7>(d)",
                     {{"x", normalTensor({2, 3, 4})},
                      {"s", normalTensor({4}, 2)},
                      {"b", normalTensor({4}, 3)}},
                     17}});
    rows.push_back({"SimplifiedLayerNormalization",
                    {"y, d = SimplifiedLayerNormalization(x, s) id = Cast<to = 7>(d)",
                     {{"x", normalTensor({2, 3, 8})}, {"s", normalTensor({8}, 2)}},
                     17}});
}

void addSoftmax(ReferenceRows& rows) {
    for (const char* op : {"Softmax", "LogSoftmax"}) {
        for (const int64_t opset : {11, 13}) {
            for (const char* axis : {"", "axis = 0", "axis = 1", "axis = 2"}) {
                rows.push_back({std::string(op) + " " + std::to_string(opset) + " " + axis,
                                {call(op, axis, "x"), {{"x", normalTensor({2, 3, 4})}}, opset}});
            }
        }
    }
}

std::string reduction(const std::string& name) { return "reduction = \"" + name + "\""; }

void addLegacyLosses(ReferenceRows& rows) {
    for (const char* mode : {"mean", "sum"}) {
        for (const Shape& shape : {Shape{5, 11}, Shape{2, 3, 2, 11}}) {
            Tensor labels(DType::Float32, shape);
            for (int64_t i = 3; i < labels.numElements(); i += 11) {
                labels.mutableValues<float>()[i] = 1;
            }
            rows.push_back({"SoftmaxCrossEntropy, " + std::string(mode) + " " + formatShape(shape),
                            {call("com.microsoft.SoftmaxCrossEntropy", reduction(mode), "x, t"),
                             {{"x", normalTensor(shape)}, {"t", labels}},
                             12,
                             {"t"}}});
        }
        for (const Shape& shape : {Shape{5}, Shape{2, 3, 2}}) {
            const Tensor drawn = normalTensor(shape, 4);
            Tensor labels(DType::Int64, shape), weights(DType::Float32, shape);
            for (int64_t i = 0; i < labels.numElements(); ++i) {
                const float x = std::abs(drawn.values<float>()[i]);
                labels.mutableValues<int64_t>()[i] = static_cast<int64_t>(5 * x) % 7;
                weights.mutableValues<float>()[i] = std::fmod(x, 2.0F);
            }
            Shape logits = shape;
            logits.push_back(7);
            for (const bool hasWeights : {false, true}) {
                OpCase opCase{call("SparseSoftmaxCrossEntropy", reduction(mode),
                                   hasWeights ? "x, t, w" : "x, t"),
                              {{"x", normalTensor(logits)}, {"t", labels}},
                              12,
                              {"t"}};
                if (hasWeights) opCase.feeds.emplace("w", weights);
                if (hasWeights) opCase.constants.emplace_back("w");
                rows.push_back({"SparseSoftmaxCrossEntropy, " + std::string(mode) + " " +
                                    formatShape(shape) + (hasWeights ? " weights" : ""),
                                opCase});
            }
        }
    }
}

/// Every second label is the ignored one, if there is one.
Tensor labelsOf(const Shape& shape, bool isIgnored, int64_t ignored) {
    Tensor labels(DType::Int64, shape);
    for (int64_t i = 0; i < labels.numElements(); ++i) {
        const bool skips = isIgnored && i % 2 == 1;
        labels.mutableValues<int64_t>()[i] = skips ? ignored : (isIgnored ? 1 : i % 2);
    }
    return labels;
}

void addCrossEntropyLoss(ReferenceRows& rows) {
    for (const char* mode : {"mean", "sum", "none"}) {
        for (const Shape& shape : {Shape{5}, Shape{2}, Shape{2, 3, 2}}) {
            Shape logits = shape;
            logits.insert(logits.begin() + 1, 2);
            for (const int64_t ignored : {0, -1}) {
                for (const int variant : {0, 1, 2, 3}) {
                    const bool hasWeights = variant % 2 == 1, ignores = variant >= 2;
                    const std::string attribute =
                        ignores ? ", ignore_index = " + std::to_string(ignored) : "";
                    OpCase opCase{
                        call("SoftmaxCrossEntropyLoss", reduction(mode) + attribute,
                             hasWeights ? "x, t, w" : "x, t"),
                        {{"x", normalTensor(logits)}, {"t", labelsOf(shape, ignores, ignored)}},
                        12,
                        {"t"}};
                    if (hasWeights) opCase.feeds.emplace("w", Tensor::of<float>({2}, {0.7F, 1.9F}));
                    if (hasWeights) opCase.constants.emplace_back("w");
                    rows.push_back({"SoftmaxCrossEntropyLoss, " + std::string(mode) + " " +
                                        formatShape(shape) + " " + attribute +
                                        (hasWeights ? " weights" : "") + " (" +
                                        std::to_string(ignored) + ")",
                                    opCase});
                }
            }
        }
    }
}

}  // namespace

ReferenceRows normalizationRows() {
    ReferenceRows rows;
    addBatchNorm(rows);
    addLayerNorm(rows);
    addSoftmax(rows);
    return rows;
}

ReferenceRows lossRows() {
    ReferenceRows rows;
    addLegacyLosses(rows);
    addCrossEntropyLoss(rows);
    return rows;
}

}  // namespace temper::test
