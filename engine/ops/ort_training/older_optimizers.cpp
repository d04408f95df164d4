// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/ops/lowered_op.h"
#include "engine/ops/ort_training/ort_training.h"

namespace temper {
namespace {

constexpr size_t kAny = std::numeric_limits<size_t>::max();

/// Inputs: rate, weights, gradients. Outputs: new weights?, step?
std::vector<Var> lowerSgdOptimizer(const LoweringContext& node) {
    const Var step = -(node.input(0) * node.input(2));
    return {node.input(1) + step, step};
}

/// Attributes and inputs of AdamOptimizer, and the formulas of its two modes.
/// Source: ONNX Runtime, com.microsoft.AdamOptimizer.
class AdamStep {
public:
    explicit AdamStep(const LoweringContext& node)
        : node_(node), rate_(node.input(0)), weights_(node.input(2)), gradients_(node.input(3)) {}

    std::vector<Var> run() const {
        const double alpha = number("alpha", 0.9F), beta = number("beta", 0.999F);
        const Var m = node_.input(4) * alpha + gradients_ * (1 - alpha);
        const Var v = node_.input(5) * beta + gradients_ * gradients_ * (1 - beta);
        const bool decaysLast = node_.attribute<int64_t>("weight_decay_mode", 0) != 0;
        const Var step =
            decaysLast ? stepThenDecay(m, v, alpha, beta) : stepWithDecay(m, v, alpha, beta);
        GradientEmitter& emitter = node_.emitter();
        const Var next = node_.input(1) + emitter.constant(Tensor::of<int64_t>({1}, {1}), "one");
        return {reshapeLike(next, node_.input(1)), m, v, weights_ + step, step};
    }

private:
    double number(const char* name, float fallback) const {
        return static_cast<double>(node_.attribute<float>(name, fallback));
    }

    /// 1 - decay^T, or 1 without bias correction.
    Var correction(double decay) const {
        GradientEmitter& emitter = node_.emitter();
        const DType dtype = weights_.dtype();
        if (node_.attribute<int64_t>("do_bias_correction", 1) == 0) {
            return emitter.number(1.0, dtype);
        }
        return 1.0 - pow(emitter.number(decay, dtype), cast(node_.input(1), dtype));
    }

    /// -rate (m/a / (sqrt(v/b) + epsilon) + lambda w)
    Var stepWithDecay(Var m, Var v, double alpha, double beta) const {
        const Var root = sqrt(v / correction(beta)) + number("epsilon", 1e-8F);
        return -(rate_ * (m / correction(alpha) / root + weights_ * number("lambda", 0.0F)));
    }

    /// -s m / (sqrt(v) + epsilon), then the decay of the result; s = rate sqrt(b) / a
    Var stepThenDecay(Var m, Var v, double alpha, double beta) const {
        const Var scaled = rate_ * sqrt(correction(beta)) / correction(alpha);
        const Var update = scaled * m / (sqrt(v) + number("epsilon", 1e-8F));
        return -update - rate_ * (weights_ - update) * number("lambda", 0.0F);
    }

    const LoweringContext& node_;
    Var rate_;
    Var weights_;
    Var gradients_;
};

// Tests for numbers that are not finite.

/// Whether one of the flags is set, as a bool scalar.
Var any(Var flags) {
    const Var count = sum(cast(flags, DType::Float32), {}, false);
    return greater(count, count.emitter().constant(Tensor::scalar(0.0F), "none"));
}

Var isInfinite(Var x) { return x.emitter().op("IsInf", {x}); }
Var isNoNumber(Var x) { return x.emitter().op("IsNaN", {x}); }
Var either(Var a, Var b) { return a.emitter().op("Or", {a, b}); }

std::vector<Var> lowerIsFinite(const LoweringContext& node) {
    const Var x = node.input(0);
    return {logicalNot(either(isInfinite(x), isNoNumber(x)))};
}

std::vector<Var> lowerIsAllFinite(const LoweringContext& node) {
    const bool onlyInfinite = node.attribute<int64_t>("isinf_only", 0) != 0;
    const bool onlyNoNumber = node.attribute<int64_t>("isnan_only", 0) != 0;
    if (onlyInfinite && onlyNoNumber) {
        node.refuse("Both 'isinf_only' and 'isnan_only' are set.", "Set at most one of them.");
    }
    Var found;
    for (size_t i = 0; i < node.node().inputs().size(); ++i) {
        const Var x = node.input(i);
        const Var flags = onlyInfinite   ? isInfinite(x)
                          : onlyNoNumber ? isNoNumber(x)
                                         : either(isInfinite(x), isNoNumber(x));
        found = found ? either(found, any(flags)) : any(flags);
    }
    return {logicalNot(found)};
}

std::vector<Var> lowerAll(const LoweringContext& node) {
    return {logicalNot(any(logicalNot(node.input(0))))};
}

/// cast(x factor) for each x
std::vector<Var> lowerMixedPrecisionScale(const LoweringContext& node) {
    const auto to = static_cast<DType>(node.attribute<int64_t>("to", 0));
    if (node.attribute<int64_t>("fuse_outputs", 0) != 0) {
        node.refuse("Outputs in one buffer are not supported.", "Remove 'fuse_outputs'.");
    }
    std::vector<Var> results;
    for (size_t i = 1; i < node.node().inputs().size(); ++i) {
        const Var x = node.input(i), factor = node.input(0);
        const Var product = x * (factor.dtype() == x.dtype() ? factor : cast(factor, x.dtype()));
        results.push_back(x.dtype() == to ? product : cast(product, to));
    }
    return results;
}

}  // namespace

void registerOlderOptimizers(OpSet& ops) {
    const std::string ms(kMicrosoftDomain);
    addLowered(ops, {ms, "SGDOptimizer", inferSgdOptimizer, 3, 3, {0, 1, 2}}, lowerSgdOptimizer);
    addLowered(ops,
               {ms, "AdamOptimizer", inferAdamOptimizer, 6, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
               [](const LoweringContext& node) { return AdamStep(node).run(); });
    addLowered(ops, {ms, "IsFinite", inferIsFinite, 1, 1, {0}}, lowerIsFinite);
    addLowered(ops, {ms, "IsAllFinite", inferIsAllFinite, 1, kAny, {}}, lowerIsAllFinite);
    addLowered(ops, {ms, "All", inferAll, 1, 1, {0}}, lowerAll);
    addLowered(ops, {ms, "MixedPrecisionScale", inferMixedPrecisionScale, 2, kAny, {0}},
               lowerMixedPrecisionScale);
}

}  // namespace temper
