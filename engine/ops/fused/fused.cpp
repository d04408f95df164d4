// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/fused/fused.h"

#include <array>

#include "engine/ops/lowered_op.h"

namespace temper {
namespace {

/// Clip takes its bounds as inputs from opset 11 on.
Var clipped(Var x, float low, float high) {
    GradientEmitter& emitter = x.emitter();
    if (emitter.opset() < 11) return emitter.op("Clip", {x}, {{"min", low}, {"max", high}});
    const auto bound = [&](float value) {
        return emitter.constant(Tensor::scalar<float>(value).cast(x.dtype()), "bound");
    };
    return emitter.op("Clip", {x, bound(low), bound(high)});
}

}  // namespace

Attributes attributesBut(const Node& node, const std::vector<std::string>& dropped) {
    Attributes attributes = node.attributes();
    for (const std::string& name : dropped) attributes.erase(name);
    return attributes;
}

Var activated(const LoweringContext& node, Var x, const std::vector<float>& parameters) {
    const auto activation = node.attribute<std::string>("activation", "");
    if (activation.empty()) return x;
    const auto at = [&](size_t i, float fallback) {
        return i < parameters.size() ? parameters[i] : fallback;
    };
    if (activation == "Relu" || activation == "Sigmoid" || activation == "Tanh" ||
        activation == "Softplus" || activation == "Softsign") {
        return x.emitter().op(activation, {x});
    }
    if (activation == "LeakyRelu")
        return x.emitter().op(activation, {x}, {{"alpha", at(0, 0.01F)}});
    if (activation == "Elu") return x.emitter().op(activation, {x}, {{"alpha", at(0, 1.0F)}});
    if (activation == "HardSigmoid") {
        return x.emitter().op(activation, {x}, {{"alpha", at(0, 0.2F)}, {"beta", at(1, 0.5F)}});
    }
    node.refuse("The activation '" + activation + "' is unknown.",
                "Save the model without optimizations of the graph.");
}

Var activatedConv(const LoweringContext& node, Var x) {
    const auto parameters = node.attribute<std::vector<float>>("activation_params", {});
    if (node.attribute<std::string>("activation", "") == "Clip" && parameters.size() == 2) {
        return clipped(x, parameters[0], parameters[1]);
    }
    return activated(node, x, parameters);
}

TypeInference inferenceOf(const OpSet& ops, const char* opType) {
    const OpInfo* info = ops.catalog.find(kOnnxDomain, opType);
    TEMPER_ASSERT(info != nullptr, "the operator was registered before");
    return info->infer;
}

namespace {

/// Inputs: x, w, bias?, z?. y = activation(conv(x, w) + bias + z)
std::vector<Var> lowerFusedConv(const LoweringContext& node) {
    Var y = node.emitter().op("Conv", {node.input(0), node.input(1), node.input(2)},
                              attributesBut(node.node(), {"activation", "activation_params"}));
    if (node.hasInput(3)) y = y + node.input(3);
    return {activatedConv(node, y)};
}

constexpr std::array<const char*, 3> kActivationNumbers = {"activation_alpha", "activation_beta",
                                                           "activation_gamma"};

/// The parameters of an activation that have their own attributes.
std::vector<float> activationNumbers(const Node& node) {
    std::vector<float> numbers;
    for (const char* name : kActivationNumbers) {
        if (node.hasAttribute(name)) numbers.push_back(node.attribute<float>(name, 0));
    }
    return numbers;
}

/// The attributes of the product only.
Attributes productAttributes(const Node& node) {
    std::vector<std::string> dropped(kActivationNumbers.begin(), kActivationNumbers.end());
    dropped.insert(dropped.end(), {"activation", "activation_axis"});
    return attributesBut(node, dropped);
}

/// Inputs: a, b, c?. Before opset 11 Gemm needs its third input.
std::vector<Var> lowerFusedGemm(const LoweringContext& node) {
    const Var y = node.emitter().op("Gemm", {node.input(0), node.input(1), node.input(2)},
                                    productAttributes(node.node()));
    return {activated(node, y, activationNumbers(node.node()))};
}

std::vector<Var> lowerFusedMatMulActivation(const LoweringContext& node) {
    const Var y = node.emitter().msOp("FusedMatMul", {node.input(0), node.input(1)},
                                      productAttributes(node.node()));
    return {activated(node, y, activationNumbers(node.node()))};
}

/// Inputs: x, weights, bias?.
std::vector<Var> lowerGemmFastGelu(const LoweringContext& node) {
    return {node.emitter().msOp("FastGelu", {matMul(node.input(0), node.input(1)), node.input(2)})};
}

/// x + bias + skip
std::vector<Var> lowerBiasAdd(const LoweringContext& node) {
    return {node.input(0) + node.input(1) + node.input(2)};
}

/// a gelu(b) of the halves of x + bias
std::vector<Var> lowerBiasSplitGelu(const LoweringContext& node) {
    const int64_t half = node.size(0, -1) / 2;
    const std::vector<Var> halves =
        split(node.input(0) + node.input(1), node.rank(0) - 1, {half, half});
    return {halves[0] * node.emitter().msOp("Gelu", {halves[1]})};
}

/// The softmax of x + bias over all dimensions from `axis` on.
std::vector<Var> lowerBiasSoftmax(const LoweringContext& node) {
    const Var x = node.input(0) + node.input(1);
    const auto axis = node.attribute<int64_t>("axis", 1);
    if (axis == -1 || axis == node.rank(0) - 1) return {softmaxOfRows(x)};
    const Var rows = node.emitter().op("Flatten", {x}, {{"axis", axis}});
    return {reshapeLike(softmaxOfRows(rows), x)};
}

/// Inputs: x, bias, residual?, ratio?, training mode?. Outputs: y, mask?.
std::vector<Var> lowerBiasDropout(const LoweringContext& node) {
    if (node.opset() < 12) {
        node.refuse(
            "BiasDropout needs opset 12 or newer; found " + std::to_string(node.opset()) + ".",
            "Export the model for a newer opset.");
    }
    std::vector<Var> y = node.emitter().add(
        kOnnxDomain, "Dropout", {node.input(0) + node.input(1), node.input(3), node.input(4)},
        attributesBut(node.node(), {}), {true, true});
    if (node.hasInput(2)) y[0] = y[0] + node.input(2);
    return y;
}

/// Inputs: dy, x, w. Outputs: dx?, dw?, dbias?. x and y have exchanged their roles in Conv.
/// Source: spec gradients 13.3.
std::vector<Var> lowerConvTransposeGrad(const LoweringContext& node) {
    const auto autoPad = node.attribute<std::string>("auto_pad", "NOTSET");
    if (autoPad != "NOTSET") {
        node.refuse("Attribute 'auto_pad' is '" + autoPad + "'; expected explicit pads.",
                    "Export the model with explicit pads.");
    }
    const Attributes attributes =
        attributesBut(node.node(), {"output_padding", "output_shape", "auto_pad"});
    const Var dy = node.input(0), x = node.input(1), w = node.input(2);
    std::vector<Var> results(3);
    if (node.wants(0)) results[0] = node.emitter().op("Conv", {dy, w}, attributes);
    if (node.wants(1)) {
        results[1] = node.emitter()
                         .add(kMicrosoftDomain, "ConvGrad", {x, dy, w}, attributes, {false, true})
                         .at(1);
    }
    if (node.wants(2)) {
        std::vector<int64_t> axes = {0};
        for (int64_t axis = 2; axis < node.rank(0); ++axis) axes.push_back(axis);
        results[2] = sum(dy, axes, false);
    }
    return results;
}

}  // namespace

void registerFused(OpSet& ops) {
    registerAttention(ops);
    registerEmbedding(ops);
    registerRotary(ops);
    registerSkipNorm(ops);
    registerGroupedAttention(ops);
    registerBlockQuantized(ops);
    registerQuantizedAttention(ops);
    registerChannelsLast(ops);
    registerGroupNorm(ops);
    registerContribForms(ops);
    registerContribFormulas(ops);
    addLowered(ops, microsoftOp("FusedConv", inferenceOf(ops, "Conv"), 2, 4), lowerFusedConv);
    addLowered(ops, microsoftOp("FusedGemm", inferenceOf(ops, "Gemm"), 2, 3), lowerFusedGemm);
    const OpInfo* fusedMatMul = ops.catalog.find(kMicrosoftDomain, "FusedMatMul");
    TEMPER_ASSERT(fusedMatMul != nullptr, "the products were registered before");
    addLowered(ops, microsoftOp("FusedMatMulActivation", fusedMatMul->infer, 2, 2),
               lowerFusedMatMulActivation);
    addLowered(ops, microsoftOp("GemmFastGelu", inferenceOf(ops, "MatMul"), 2, 3),
               lowerGemmFastGelu);
    addLowered(ops, microsoftOp("BiasAdd", inferBiasAdd, 3, 3), lowerBiasAdd);
    addLowered(ops, microsoftOp("BiasSplitGelu", inferBiasSplitGelu, 2, 2), lowerBiasSplitGelu);
    addLowered(ops, microsoftOp("BiasSoftmax", inferBiasAdd, 2, 2), lowerBiasSoftmax);
    addLowered(ops, microsoftOp("BiasDropout", inferBiasDropout, 2, 5), lowerBiasDropout);
    addLowered(ops, microsoftOp("ConvTransposeGrad", inferConvTransposeGrad, 3, 3),
               lowerConvTransposeGrad);
}

}  // namespace temper
