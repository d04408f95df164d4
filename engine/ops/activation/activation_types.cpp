// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/ops/activation/activation.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// Relu takes integers since opset 14.
void inferRelu(InferenceContext& context) {
    requireDType(context, 0, isSignedNumeric, "a signed number");
    sameAsInput(context);
}

void inferShrink(InferenceContext& context) {
    requireDType(context, 0, isNumeric, "a number");
    sameAsInput(context);
}

/// The shape with which the slope is broadcast: before opset 7, a vector has one slope for each
/// channel, the second dimension of X.
std::optional<SymbolicShape> slopeShape(const InferenceContext& context) {
    const auto& slope = context.shape(1);
    const auto& x = context.shape(0);
    const bool isByChannel = context.opset() < 7 && slope && x && slope->size() == 1;
    if (!isByChannel) return slope;
    SymbolicShape shape = *slope;
    shape.resize(std::max<size_t>(x->size(), 2) - 1, Dim::of(1));
    return shape;
}

/// The slope is broadcast to X, never the other way.
void inferPRelu(InferenceContext& context) {
    requireDType(context, 0, isNumeric, "a number");
    requireSameDType(context, 0, 1);
    const auto both = broadcastShapes(context.shape(0), slopeShape(context));
    const auto& x = context.shape(0);
    if (both && x && both->size() != x->size()) {
        context.fail("The slope has the shape " + formatShape(*context.shape(1)) +
                         "; expected one that can be broadcast to " + formatShape(*x) + ".",
                     "Export the slope with one element per channel, as [channels, 1, 1].");
    }
    sameAsInput(context);
}

/// dY, and X or Y of the same shape.
void inferBackward(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    context.setOutput(0, context.dtype(0), broadcastInputs(context, {0, 1}));
}

/// The bias has one dimension, the last one of input `data`.
void requireBias(InferenceContext& context, size_t data, size_t bias) {
    requireSameDType(context, data, bias);
    requireRank(context, bias, 1);
    const auto& shape = context.shape(data);
    if (!context.hasInput(bias) || !context.shape(bias) || !shape || shape->empty()) return;
    mergeDims(context, shape->back(), context.shape(bias)->front(),
              "The last dimension and the length of the bias");
}

void inferBiasForward(InferenceContext& context) {
    requireFloating(context, 0);
    requireBias(context, 0, 1);
    sameAsInput(context);
}

void inferBiasBackward(InferenceContext& context) {
    requireFloating(context, 0);
    requireBias(context, 1, 2);
    context.setOutput(0, context.dtype(0), broadcastInputs(context, {0, 1}));
}

void inferGelu(InferenceContext& context) {
    requireFloating(context, 0);
    isTanhGelu(context.node());
    sameAsInput(context);
}

constexpr auto kActivation = OperatorFamily::Activation;

void addActivations(OpCatalog& catalog) {
    const auto add = [&](const char* op, OperatorFacts facts) {
        facts.isElementwise = true;
        catalog.add({"", op, floatingSameAs(), 1, 1}, std::move(facts));
    };
    for (const char* op : {"LeakyRelu", "Elu", "Selu", "Celu", "Softsign", "Mish"}) {
        add(op, {.family = kActivation});
    }
    add("Sigmoid", {.family = kActivation,
                    .keepsClasses = true,
                    .applies = ProbabilityFunction::Sigmoid,
                    .makesProbabilities = true});
    // It is -log(sigmoid(-x)).
    add("Softplus", {.family = kActivation, .applies = ProbabilityFunction::Sigmoid});
    add("Tanh", {.family = kActivation, .keepsClasses = true});
    add("HardSigmoid", {.family = kActivation, .keepsClasses = true, .isFlatSomewhere = true});
    add("HardSwish", {.family = kActivation, .isFlatSomewhere = true});
    add("ThresholdedRelu", {.family = kActivation, .isFlatSomewhere = true});
    catalog.add({"", "Relu", inferRelu, 1, 1}, {.family = kActivation,
                                                .isElementwise = true,
                                                .keepsClasses = true,
                                                .isFlatSomewhere = true});
    catalog.add({"", "Shrink", inferShrink, 1, 1},
                {.family = kActivation, .isElementwise = true, .isFlatSomewhere = true});
    catalog.add({"", "PRelu", inferPRelu, 2, 2},
                {.family = kActivation, .weightInputs = {1}, .isElementwise = true});
    catalog.add({"", "Gelu", inferGelu, 1, 1}, {.family = kActivation, .isElementwise = true});
}

void addMicrosoftActivations(OpCatalog& catalog) {
    const OperatorFacts facts{.family = kActivation, .isElementwise = true};
    const std::string ms(kMicrosoftDomain);
    catalog.add({ms, "Gelu", floatingSameAs(), 1, 1}, facts);
    catalog.add({ms, "FastGelu", inferBiasForward, 1, 2}, facts);
    catalog.add({ms, "QuickGelu", floatingSameAs(), 1, 1}, facts);
    catalog.add({ms, "BiasGelu", inferBiasForward, 2, 2}, facts);
}

}  // namespace

void registerActivationTypes(OpCatalog& catalog) {
    addActivations(catalog);
    addMicrosoftActivations(catalog);
    const std::string ms(kMicrosoftDomain);
    for (const char* op : {"ReluGrad", "GeluGrad", "FastGeluGrad", "SigmoidGrad", "TanhGrad",
                           "LeakyReluGrad", "QuickGeluGrad"}) {
        catalog.add({ms, op, inferBackward, 2, 2});
    }
    catalog.add({std::string(kTemperDomain), "HardSwishGrad", inferBackward, 2, 2});
    catalog.add({ms, "BiasGeluGrad_dX", inferBiasBackward, 3, 3});
    catalog.add({ms, "BiasFastGeluGrad_dX", inferBiasBackward, 3, 3});
}

}  // namespace temper
