// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/activation/activation.h"

#include <map>

#include "engine/ops/lowered_op.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

struct Names {
    const char* alphaName;
    float alpha;
    const char* betaName;
    float beta;
};

/// Attribute names and defaults. Source: ONNX, docs/Operators.md; ORT's contrib operators.
const std::map<std::string, Names, std::less<>>& namesByOp() {
    static const std::map<std::string, Names, std::less<>> kNames = {
        {"LeakyRelu", {"alpha", 0.01F, nullptr, 0}},
        {"LeakyReluGrad", {"alpha", 0.01F, nullptr, 0}},
        {"Elu", {"alpha", 1.0F, nullptr, 0}},
        {"Celu", {"alpha", 1.0F, nullptr, 0}},
        {"Selu", {"alpha", 1.67326319217681884765625F, "gamma", 1.05070102214813232421875F}},
        {"HardSigmoid", {"alpha", 0.2F, "beta", 0.5F}},
        {"ThresholdedRelu", {"alpha", 1.0F, nullptr, 0}},
        {"QuickGelu", {"alpha", 1.702F, nullptr, 0}},
        {"QuickGeluGrad", {"alpha", 1.702F, nullptr, 0}},
        {"Shrink", {"lambd", 0.5F, "bias", 0.0F}},
    };
    return kNames;
}

/// y = x sigmoid(alpha x), of opset 24: what ORT calls QuickGelu.
std::vector<Var> lowerSwish(const LoweringContext& node) {
    const auto alpha = node.attribute<float>("alpha", 1.0F);
    return {node.emitter().msOp("QuickGelu", {node.input(0)}, {{"alpha", alpha}})};
}

/// y = a sigmoid(alpha a) b, of opset 28.
std::vector<Var> lowerSwiGlu(const LoweringContext& node) {
    return {lowerSwish(node).front() * node.input(1)};
}

void inferSwiGlu(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    const auto &a = context.shape(0), &b = context.shape(1);
    if (a && b) {
        requireRank(context, 1, static_cast<int64_t>(a->size()));
        for (size_t i = 0; i < a->size(); ++i) mergeDims(context, (*a)[i], (*b)[i], "Dimensions");
    }
    sameAsInput(context);
}

}  // namespace

ActivationParameters activationParameters(const Node& node) {
    const auto found = namesByOp().find(node.opType());
    if (found == namesByOp().end()) return {};
    const Names& names = found->second;
    ActivationParameters parameters{node.attribute<float>(names.alphaName, names.alpha), 0};
    if (names.betaName != nullptr) {
        parameters.beta = node.attribute<float>(names.betaName, names.beta);
    }
    return parameters;
}

bool isTanhGelu(const Node& node) {
    const auto approximate = node.attribute<std::string>("approximate", "none");
    if (approximate == "tanh") return true;
    if (approximate == "none") return false;
    Error error(ErrorCode::InvalidInput,
                "Attribute 'approximate' is '" + approximate + "'; expected 'none' or 'tanh'.");
    error.addContext(node.describe());
    throw error;
}

void registerActivation(OpSet& ops) {
    registerActivationTypes(ops.catalog);
    registerActivationGradients(ops.gradients);
    registerActivationKernels(ops.cpuKernels);
    registerBiasActivationKernels(ops.cpuKernels);
    const OperatorFacts facts{.family = OperatorFamily::Activation};
    addLowered(ops, {"", "Swish", floatingSameAs(), 1, 1, {}}, lowerSwish, facts);
    addLowered(ops, {"", "SwiGLU", inferSwiGlu, 2, 2, {}}, lowerSwiGlu, facts);
}

}  // namespace temper
