// SPDX-License-Identifier: Apache-2.0
#include "app/cli/random_support.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace temper::cli {
namespace {

using Tensors = std::span<const Tensor>;

constexpr double kDefaultRatio = 0.5;
constexpr double kRounding = 1e-5;

/// The data of a fed value or an initializer; nullopt if it is computed.
std::optional<Tensor> dataOf(const Graph& model, const Value* value, Tensors inputs) {
    if (value == nullptr) return std::nullopt;
    if (value->isInitializer()) return value->constant();
    const auto& fed = model.inputs();
    const auto found = std::find(fed.begin(), fed.end(), value);
    const auto position = static_cast<size_t>(found - fed.begin());
    if (found == fed.end() || position >= inputs.size()) return std::nullopt;
    return inputs[position];
}

bool isOneOf(const Node& node, std::initializer_list<std::string_view> operators) {
    return std::find(operators.begin(), operators.end(), node.opType()) != operators.end();
}

/// The operator that draws, found by going back from an output through casts and comparisons, with
/// which ONNX's functions turn a uniform number into a choice.
struct Draw {
    const Node* node = nullptr;
    bool isChoice = false;  ///< compared with a threshold: 0 or 1
};

Draw drawOf(const Value* value) {
    Draw draw;
    while (value != nullptr && value->producer() != nullptr) {
        draw.node = value->producer();
        const bool isCompared =
            isOneOf(*draw.node, {"Greater", "Less", "GreaterOrEqual", "LessOrEqual"});
        if (!isCompared && !isOneOf(*draw.node, {"Cast", "CastLike", "Identity"})) return draw;
        draw.isChoice = draw.isChoice || isCompared;
        const Value* first = draw.node->input(0);
        const bool isFed = isCompared && first != nullptr && first->producer() == nullptr;
        value = isFed ? draw.node->input(1) : first;
    }
    return {};
}

double ratioOf(const Graph& model, const Node& dropout, Tensors inputs) {
    const std::optional<Tensor> ratio = dataOf(model, dropout.input(1), inputs);
    return ratio ? ratio->toDouble() : kDefaultRatio;
}

bool trains(const Graph& model, const Node& dropout, Tensors inputs) {
    const std::optional<Tensor> mode = dataOf(model, dropout.input(2), inputs);
    return mode && mode->values<bool>()[0] && ratioOf(model, dropout, inputs) > 0;
}

bool isRandom(const Graph& model, const Node& node, Tensors inputs) {
    if (node.opType() == "Dropout") return trains(model, node, inputs);
    return isOneOf(node, {"Bernoulli", "RandomUniform", "RandomUniformLike", "RandomNormal",
                          "RandomNormalLike", "Multinomial"});
}

template <typename Accepts>
std::string firstOutside(const Tensor& tensor, const std::string& expected, Accepts accepts) {
    const Tensor wide = tensor.cast(DType::Float64);
    const auto values = wide.values<double>();
    for (size_t i = 0; i < values.size(); ++i) {
        if (accepts(values[i], i)) continue;
        return "element " + std::to_string(i) + " is " + std::to_string(values[i]) +
               ", which is impossible; expected " + expected;
    }
    return {};
}

std::string choiceProblem(const Tensor& drawn) {
    return firstOutside(drawn, "0 or 1", [](double y, size_t) { return y == 0 || y == 1; });
}

std::string uniformProblem(const Node& node, const Tensor& drawn) {
    const auto low = static_cast<double>(node.attribute<float>("low", 0.0F));
    const auto high = static_cast<double>(node.attribute<float>("high", 1.0F));
    return firstOutside(drawn,
                        "a number in [" + std::to_string(low) + ", " + std::to_string(high) + "]",
                        [&](double y, size_t) { return y >= low && y <= high; });
}

std::string classProblem(const Graph& model, const Node& node, Tensors inputs,
                         const Tensor& drawn) {
    const std::optional<Tensor> scores = dataOf(model, node.input(0), inputs);
    const double classes =
        scores ? static_cast<double>(scores->shape().back()) : static_cast<double>(INT64_MAX);
    return firstOutside(drawn, "the number of a class", [&](double y, size_t) {
        return y >= 0 && y < classes && y == std::floor(y);
    });
}

/// The model's output tensor for an output of `node`; null if it is not a graph output.
const Tensor* outputOf(const Graph& model, const Node& node, size_t output, Tensors outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (node.output(output) != nullptr && model.outputs()[i] == node.output(output)) {
            return &outputs[i];
        }
    }
    return nullptr;
}

/// 0 for dropped elements, x / (1 - ratio) for kept ones.
std::string dropoutProblem(const Graph& model, const Node& node, Tensors inputs, Tensors outputs,
                           size_t position) {
    if (model.outputs()[position] == node.output(1)) return choiceProblem(outputs[position]);
    const std::optional<Tensor> data = dataOf(model, node.input(0), inputs);
    if (!data) return "the data of the Dropout is not an input of the model";
    const Tensor x = data->cast(DType::Float64);
    const double scale = 1 / (1 - ratioOf(model, node, inputs));
    const Tensor* mask = outputOf(model, node, 1, outputs);
    return firstOutside(outputs[position], "0 or x / (1 - ratio), as the mask says",
                        [&](double y, size_t i) {
                            const double kept = x.values<double>()[i] * scale;
                            const bool mayBeKept = std::abs(y - kept) <= kRounding * std::abs(kept);
                            if (mask == nullptr) return y == 0 || mayBeKept;
                            return mask->values<bool>()[i] ? mayBeKept : y == 0;
                        });
}

}  // namespace

bool isDrawn(const Graph& model, size_t output, Tensors inputs) {
    const Draw draw = drawOf(model.outputs()[output]);
    return draw.node != nullptr && isRandom(model, *draw.node, inputs);
}

std::string supportProblem(const Graph& model, Tensors inputs, Tensors outputs, size_t position) {
    const Draw draw = drawOf(model.outputs()[position]);
    TEMPER_ASSERT(draw.node != nullptr, "isDrawn() said that the output is drawn");
    const std::string& op = draw.node->opType();
    const Tensor& drawn = outputs[position];
    if (draw.isChoice || op == "Bernoulli") return choiceProblem(drawn);
    if (op == "Dropout") return dropoutProblem(model, *draw.node, inputs, outputs, position);
    if (op == "Multinomial") return classProblem(model, *draw.node, inputs, drawn);
    if (op.starts_with("RandomUniform")) return uniformProblem(*draw.node, drawn);
    return firstOutside(drawn, "a finite number",
                        [](double y, size_t) { return std::isfinite(y); });
}

}  // namespace temper::cli
