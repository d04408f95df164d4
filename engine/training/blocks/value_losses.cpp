// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/training/blocks/blocks.h"
#include "engine/training/blocks/loss_reduction.h"

namespace temper::blocks {
namespace {

/// PyTorch's value; keeps the cosine of a zero vector finite.
constexpr float kCosineEpsilon = 1e-12F;

Value* distance(BlockModel& model, Value* x, const Target& target) {
    Value* t = resolve(model, target, x->type());
    return abs(model, sub(model, x, t));
}

/// c (d - c / 2) with c = min(d, delta): both branches without a condition.
Value* huberOf(BlockModel& model, Value* d, float delta) {
    Value* capped = clip(model, d, std::nullopt, delta);
    Value* half = mul(model, capped, scalar(model, 0.5F));
    return mul(model, capped, sub(model, d, half));
}

/// 1 - x
Value* oneMinus(BlockModel& model, Value* x) { return sub(model, scalar(model, 1), x); }

/// softplus(x) - x t
Value* plainBinary(BlockModel& model, Value* x, Value* t) {
    Value* all = softplus(model, x);
    return sub(model, all, mul(model, x, t));
}

/// p t softplus(-x) + (1 - t) softplus(x)
Value* weightedBinary(BlockModel& model, Value* x, Value* t, Value* posWeight) {
    Value* ofOnes = mul(model, t, softplus(model, neg(model, x)));
    ofOnes = mul(model, ofOnes, posWeight);
    Value* rest = oneMinus(model, t);
    Value* ofZeros = mul(model, rest, softplus(model, x));
    return add(model, ofOnes, ofZeros);
}

/// 1 - p where p is the probability of the target: s + t - 2 s t, s = sigmoid(x).
Value* missingProbability(BlockModel& model, Value* x, Value* t) {
    Value* s = sigmoid(model, x);
    Value* both = mul(model, s, t);
    both = mul(model, both, scalar(model, 2));
    return sub(model, add(model, s, t), both);
}

/// Sums over the features of [N, D].
Value* product(BlockModel& model, Value* a, Value* b) {
    return sumOver(model, mul(model, a, b), {1});
}

Value* squaredLength(BlockModel& model, Value* a) {
    Value* sum = product(model, a, a);
    return add(model, sum, scalar(model, kCosineEpsilon));
}

Value* cosine(BlockModel& model, Value* a, Value* b) {
    Value* dot = product(model, a, b);
    Value* lengthA = squaredLength(model, a);
    Value* lengths = mul(model, lengthA, squaredLength(model, b));
    return div(model, dot, sqrt(model, lengths));
}

template <typename F>
Value* sumOfSums(BlockModel& model, const Values& parameters, F&& term) {
    TEMPER_ASSERT(!parameters.empty(), "there is a parameter to regularize");
    Value* total = nullptr;
    for (Value* parameter : parameters) {
        Value* sum = reduceSum(model, term(parameter), false);
        total = total == nullptr ? sum : add(model, total, sum);
    }
    return total;
}

}  // namespace

Value* mse(BlockModel& model, Value* x, const Target& target, Reduction reduction) {
    Value* t = resolve(model, target, x->type());
    return reduced(model, pow(model, sub(model, x, t), 2), reduction);
}

Value* l1(BlockModel& model, Value* x, const Target& target, Reduction reduction) {
    return reduced(model, distance(model, x, target), reduction);
}

Value* huber(BlockModel& model, Value* x, const Target& target, float delta, Reduction reduction) {
    return reduced(model, huberOf(model, distance(model, x, target), delta), reduction);
}

Value* smoothL1(BlockModel& model, Value* x, const Target& target, float beta,
                Reduction reduction) {
    Value* losses = distance(model, x, target);
    if (beta > 0) {
        losses = huberOf(model, losses, beta);
        losses = mul(model, losses, scalar(model, 1 / beta));
    }
    return reduced(model, losses, reduction);
}

Value* hinge(BlockModel& model, Value* x, const Target& target, float margin, Reduction reduction) {
    Value* t = resolve(model, target, x->type());
    Value* agreement = mul(model, x, t);
    Value* missing = sub(model, scalar(model, margin), agreement);
    return reduced(model, relu(model, missing), reduction);
}

Value* klDivergence(BlockModel& model, Value* x, const Target& target, bool logTarget,
                    Reduction reduction) {
    Value* t = resolve(model, target, x->type());
    Value* logT = t;
    Value* probability = t;
    if (logTarget) {
        probability = exp(model, t);
    } else {  // 0 log 0 is 0
        logT = log(model, clip(model, t, std::numeric_limits<float>::min(), std::nullopt));
    }
    return reduced(model, mul(model, probability, sub(model, logT, x)), reduction);
}

Value* binaryCrossEntropy(BlockModel& model, Value* x, const Target& target,
                          const BinaryOptions& options) {
    Value* t = resolve(model, target, x->type());
    Value* losses = nullptr;
    if (options.posWeight.empty()) {
        losses = plainBinary(model, x, t);
    } else {
        losses =
            weightedBinary(model, x, t, vectorOf(model, "bceloss.pos_weight", options.posWeight));
    }
    if (!options.weight.empty()) {
        losses = mul(model, losses, vectorOf(model, "bceloss.weight", options.weight));
    }
    return reduced(model, losses, options.reduction);
}

Value* binaryFocal(BlockModel& model, Value* x, const Target& target,
                   const BinaryFocalOptions& options) {
    Value* t = resolve(model, target, x->type());
    Value* losses = plainBinary(model, x, t);
    if (options.gamma > 0) {
        Value* missing = missingProbability(model, x, t);
        missing = clip(model, missing, std::numeric_limits<float>::epsilon(), std::nullopt);
        losses = mul(model, pow(model, missing, options.gamma), losses);
    }
    if (options.alpha >= 0) {  // (2 alpha - 1) t + 1 - alpha
        Value* scaled = mul(model, t, scalar(model, 2 * options.alpha - 1));
        losses = mul(model, add(model, scaled, scalar(model, 1 - options.alpha)), losses);
    }
    return reduced(model, losses, options.reduction);
}

Value* cosineEmbedding(BlockModel& model, Value* a, Value* b, const Target& target, float margin,
                       Reduction reduction) {
    ValueType perSample = a->type();
    if (perSample.shape && perSample.shape->size() > 1) perSample.shape->resize(1);
    Value* t = resolve(model, target, perSample);
    Value* similarity = cosine(model, a, b);
    Value* half = scalar(model, 0.5F);
    Value* isPair = add(model, mul(model, t, half), half);
    Value* ofPairs = mul(model, isPair, oneMinus(model, similarity));
    Value* excess = relu(model, sub(model, similarity, scalar(model, margin)));
    Value* ofOthers = mul(model, oneMinus(model, isPair), excess);
    return reduced(model, add(model, ofPairs, ofOthers), reduction);
}

Value* l2Norm(BlockModel& model, const Values& parameters) {
    return sumOfSums(model, parameters, [&](Value* p) { return mul(model, p, p); });
}

Value* l1Norm(BlockModel& model, const Values& parameters) {
    return sumOfSums(model, parameters, [&](Value* p) { return abs(model, p); });
}

}  // namespace temper::blocks
