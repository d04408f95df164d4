// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/loss/loss.h"

namespace temper {
namespace {

Attributes copied(const GradientContext& node) {
    Attributes attributes = {{"reduction", node.attribute<std::string>("reduction", "mean")}};
    if (const auto ignored = node.node().attribute<int64_t>("ignore_index")) {
        attributes.emplace("ignore_index", *ignored);
    }
    return attributes;
}

Var optionalInput(const GradientContext& node, size_t i) {
    return node.hasInput(i) ? node.input(i) : Var();
}

/// The part through the second output, if something reads the log-probabilities.
Var throughLogProbabilities(const GradientContext& node) {
    return node.emitter().msOp("LogSoftmaxGrad_13", {node.outputGradient(1), node.output(1)},
                               {{"axis", int64_t{1}}});
}

Gradients added(Var a, Var b) {
    if (!a) return {b};
    return {b ? a + b : a};
}

Gradients softmaxCrossEntropyGradient(const GradientContext& node) {
    Var throughLoss;
    if (const Var dy = node.outputGradient(0)) {
        throughLoss = node.emitter().msOp(
            "SoftmaxCrossEntropyLossGrad",
            {dy, node.output(1), node.input(1), optionalInput(node, 2)}, copied(node));
    }
    return added(throughLoss, node.outputGradient(1) ? throughLogProbabilities(node) : Var());
}

Gradients internalCrossEntropyGradient(const GradientContext& node) {
    Var throughLoss;
    if (const Var dy = node.outputGradient(0)) {
        throughLoss = node.emitter().msOp(
            "SoftmaxCrossEntropyLossInternalGrad",
            {dy, node.output(1), node.input(1), optionalInput(node, 2), optionalInput(node, 3)},
            copied(node));
    }
    return added(throughLoss, node.outputGradient(1) ? throughLogProbabilities(node) : Var());
}

/// The gradient of cross entropy is s w (exp(log_prob) - onehot). With a constant log_prob whose
/// exponential is 0 it is -s w onehot: that of the negative log-likelihood.
Gradients negativeLogLikelihoodGradient(const GradientContext& node) {
    constexpr double kExpIsZero = -10000.0;
    const Var x = node.input(0);
    const Var noProbability = expandLike(node.emitter().number(kExpIsZero, x.dtype()), x);
    std::vector<Var> inputs = {node.outputGradient(0), noProbability, node.input(1),
                               optionalInput(node, 2)};
    if (!node.hasInput(3)) {
        return {node.emitter().msOp("SoftmaxCrossEntropyLossGrad", inputs, copied(node))};
    }
    inputs.push_back(node.input(3));
    return {node.emitter().msOp("SoftmaxCrossEntropyLossInternalGrad", inputs, copied(node))};
}

/// The backward operator reads the log-probabilities.
void addLogProbabilities(Graph& graph, Node* node) {
    if (node->output(1) != nullptr) return;
    graph.addOutputTo(node, 1, graph.uniqueName(node->input(0)->name() + "_log_prob"));
}

}  // namespace

void registerLossGradients(GradientRules& rules) {
    rules.add("", "SoftmaxCrossEntropyLoss", softmaxCrossEntropyGradient);
    rules.addTrainingForm("", "SoftmaxCrossEntropyLoss", addLogProbabilities);
    rules.add("", "NegativeLogLikelihoodLoss", negativeLogLikelihoodGradient);
    rules.add(kMicrosoftDomain, "SoftmaxCrossEntropyLossInternal", internalCrossEntropyGradient);
    for (const char* op :
         {"NegativeLogLikelihoodLossInternal", "NegativeLogLikelihoodLossInternal2"}) {
        rules.add(kMicrosoftDomain, op, negativeLogLikelihoodGradient);
    }
}

}  // namespace temper
