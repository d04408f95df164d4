// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/activation/activation.h"

namespace temper {
namespace {

using Context = GradientContext;

double alphaOf(const Context& node) {
    return static_cast<double>(activationParameters(node.node()).alpha);
}
double betaOf(const Context& node) {
    return static_cast<double>(activationParameters(node.node()).beta);
}

/// One of ORT's backward operators on (dY, Y).
GradientRule fromOutput(const char* op) {
    return [op](const Context& node) {
        return Gradients{node.emitter().msOp(op, {node.outputGradient(0), node.output(0)})};
    };
}

Var backwardOf(const char* op, const Context& node, Attributes attributes = {}) {
    return node.emitter().msOp(op, {node.outputGradient(0), node.input(0)}, std::move(attributes));
}

/// Tests the input: the output has another sign if alpha < 0.
Gradients leakyReluGradient(const Context& node) {
    return {
        backwardOf("LeakyReluGrad", node, {{"alpha", activationParameters(node.node()).alpha}})};
}

Gradients geluGradient(const Context& node) {
    return {backwardOf(isTanhGelu(node.node()) ? "FastGeluGrad" : "GeluGrad", node)};
}

Gradients quickGeluGradient(const Context& node) {
    return {
        backwardOf("QuickGeluGrad", node, {{"alpha", activationParameters(node.node()).alpha}})};
}

/// y = f(x + b)  =>  db = dx; the walk sums it to the bias' shape.
Gradients withBias(const Context& node, const char* op) {
    const Var dx = node.emitter().msOp(op, {node.outputGradient(0), node.input(0), node.input(1)});
    return {dx, dx};
}

Gradients fastGeluGradient(const Context& node) {
    if (node.hasInput(1)) return withBias(node, "BiasFastGeluGrad_dX");
    return {backwardOf("FastGeluGrad", node)};
}

/// x > 0: dy, else dy (y + alpha)
Gradients eluGradient(const Context& node) {
    const Var x = node.input(0);
    const Var dy = node.outputGradient(0);
    return {where(greater(x, numberLike(x, 0)), dy, dy * (node.output(0) + alphaOf(node)))};
}

/// x > 0: gamma dy, else dy (y + gamma alpha)
Gradients seluGradient(const Context& node) {
    const Var x = node.input(0);
    const Var dy = node.outputGradient(0);
    const double gamma = betaOf(node);
    return {where(greater(x, numberLike(x, 0)), dy * gamma,
                  dy * (node.output(0) + gamma * alphaOf(node)))};
}

/// x < 0: dy exp(x / alpha), else dy
Gradients celuGradient(const Context& node) {
    const Var x = node.input(0);
    const Var dy = node.outputGradient(0);
    return {where(less(x, numberLike(x, 0)), dy * exp(x / alphaOf(node)), dy)};
}

/// 0 < y < 1: alpha dy, else 0
Gradients hardSigmoidGradient(const Context& node) {
    const Var y = node.output(0);
    const Var dy = node.outputGradient(0);
    const Var zero = numberLike(y, 0);
    const Var inside = logicalAnd(greater(y, zero), less(y, y.emitter().number(1.0, y.dtype())));
    return {where(inside, dy * alphaOf(node), zero)};
}

/// x <= -3: 0, x >= 3: dy, else dy (x / 3 + 1 / 2)
Gradients hardSwishGradient(const Context& node) {
    const Var x = node.input(0);
    const Var dy = node.outputGradient(0);
    const auto number = [&](double value) { return x.emitter().number(value, x.dtype()); };
    const Var middle = where(less(x, number(3.0)), dy * (x / 3.0 + 0.5), dy);
    return {where(greater(x, number(-3.0)), middle, numberLike(x, 0))};
}

Gradients softplusGradient(const Context& node) {
    return {node.outputGradient(0) * sigmoid(node.input(0))};
}

/// dy / (1 + |x|)^2
Gradients softsignGradient(const Context& node) {
    const Var base = abs(node.input(0)) + 1.0;
    return {node.outputGradient(0) / (base * base)};
}

/// t = tanh(softplus(x)): dy (t + x sigmoid(x) (1 - t^2))
Gradients mishGradient(const Context& node) {
    const Var x = node.input(0);
    const Var t = node.emitter().op("Tanh", {node.emitter().op("Softplus", {x})});
    return {node.outputGradient(0) * (t + x * sigmoid(x) * (1.0 - t * t))};
}

Gradients thresholdedReluGradient(const Context& node) {
    const Var x = node.input(0);
    const Var alpha = x.emitter().number(alphaOf(node), x.dtype());
    return {where(greater(x, alpha), node.outputGradient(0), numberLike(x, 0))};
}

Gradients shrinkGradient(const Context& node) {
    const Var x = node.input(0);
    const Var lambda = x.emitter().number(alphaOf(node), x.dtype());
    return {where(greater(abs(x), lambda), node.outputGradient(0), numberLike(x, 0))};
}

/// x < 0: dx = slope dy, dslope = x dy, else dx = dy, dslope = 0
Gradients preluGradient(const Context& node) {
    if (node.opset() < 7) {
        throw Error(ErrorCode::Unsupported,
                    "PRelu of opset " + std::to_string(node.opset()) +
                        " broadcasts its slope by channel, which has no gradient.",
                    "Export the model with opset 9 or later.");
    }
    const Var x = node.input(0);
    const Var dy = node.outputGradient(0);
    const Var isNegative = less(x, numberLike(x, 0));
    Gradients result(2);
    if (node.needs(0)) result[0] = where(isNegative, dy * node.input(1), dy);
    if (node.needs(1)) result[1] = where(isNegative, dy * x, numberLike(x, 0));
    return result;
}

}  // namespace

void registerActivationGradients(GradientRules& rules) {
    rules.add("", "Relu", fromOutput("ReluGrad"));
    rules.add("", "Sigmoid", fromOutput("SigmoidGrad"));
    rules.add("", "Tanh", fromOutput("TanhGrad"));
    rules.add("", "LeakyRelu", leakyReluGradient);
    rules.add("", "PRelu", preluGradient);
    rules.add("", "Elu", eluGradient);
    rules.add("", "Selu", seluGradient);
    rules.add("", "Celu", celuGradient);
    rules.add("", "HardSigmoid", hardSigmoidGradient);
    rules.add("", "HardSwish", hardSwishGradient);
    rules.add("", "Softplus", softplusGradient);
    rules.add("", "Softsign", softsignGradient);
    rules.add("", "ThresholdedRelu", thresholdedReluGradient);
    rules.add("", "Mish", mishGradient);
    rules.add("", "Shrink", shrinkGradient);
    rules.add("", "Gelu", geluGradient);
    rules.add(kMicrosoftDomain, "Gelu", geluGradient);
    rules.add(kMicrosoftDomain, "QuickGelu", quickGeluGradient);
    rules.add(kMicrosoftDomain, "FastGelu", fastGeluGradient);
    rules.add(kMicrosoftDomain, "BiasGelu",
              [](const Context& node) { return withBias(node, "BiasGeluGrad_dX"); });
}

}  // namespace temper
