// SPDX-License-Identifier: Apache-2.0
#include "engine/core/counted.h"
#include "engine/ops/ort_training/ort_training.h"
#include "engine/ops/type_rules.h"

namespace temper {

/// Logits and one-hot labels of the same shape; a scalar and the log-probabilities.
void inferOneHotLoss(InferenceContext& context) {
    requireFloating(context, 0);
    requireRankAtLeast(context, 0, 1);
    requireSameDType(context, 0, 1);
    broadcastInputs(context, {0, 1});
    context.setOutput(0, context.dtype(0), SymbolicShape{});
    sameAsInput(context, 0, 1);
}

/// Logits with the classes last, labels, a weight for each label.
void inferSparseLoss(InferenceContext& context) {
    requireFloating(context, 0);
    requireDType(context, 1, isIndex, "int32 or int64");
    requireSameDType(context, 0, 2);
    requireRankAtLeast(context, 0, 1);
    if (context.shape(0)) requireRank(context, 1, context.inputType(0).rank() - 1);
    context.setOutput(0, context.dtype(0), SymbolicShape{});
    sameAsInput(context, 0, 1);
}

void inferOlderLossGrad(InferenceContext& context) {
    requireFloating(context, 1);
    requireRankAtLeast(context, 1, 1);
    sameAsInput(context, 1);
}

/// Rate, weights, gradients; new weights, new gradients.
void inferSgdOptimizer(InferenceContext& context) {
    for (const size_t i : {0, 1, 2}) requireFloating(context, i);
    sameAsInput(context, 1, 0);
    sameAsInput(context, 2, 1);
}

/// Rate, step, weights, gradients, both moments, ...; step, moments, weights, gradients, ...
void inferAdamOptimizer(InferenceContext& context) {
    requireDType(context, 1, isIndex, "int64");
    for (const size_t i : {0, 2, 3, 4, 5}) requireFloating(context, i);
    sameAsInput(context, 1, 0);
    sameAsInput(context, 4, 1);
    sameAsInput(context, 5, 2);
    sameAsInput(context, 2, 3);
    sameAsInput(context, 3, 4);
}

/// [d1, d2...], indices [d1], (M1, M2) -> [M1, M2, d2...]
void inferPadAndUnflatten(InferenceContext& context) {
    requireDType(context, 1, isIndex, "int32 or int64");
    requireRank(context, 1, 1);
    const auto& x = context.shape(0);
    if (!x) return context.setOutput(0, context.dtype(0), std::nullopt);
    SymbolicShape shape = shapeFromInput(context, 2).value_or(unknownDims(2));
    if (shape.size() != 2) {
        context.fail("Input 2 holds " + counted(shape.size(), "dimension") +
                     " to unflatten to; expected 2.");
    }
    if (x->empty()) context.fail("The data is a scalar; expected rows.");
    shape.insert(shape.end(), x->begin() + 1, x->end());
    context.setOutput(0, context.dtype(0), std::move(shape));
}

/// [M1, M2, d2...], indices [d1] -> [d1, d2...], (M1, M2)
void inferFlattenAndUnpad(InferenceContext& context) {
    requireDType(context, 1, isIndex, "int32 or int64");
    requireRank(context, 1, 1);
    context.setOutput(1, DType::Int64, SymbolicShape{Dim::of(2)});
    const auto& x = context.shape(0);
    if (!x) return context.setOutput(0, context.dtype(0), std::nullopt);
    if (x->size() < 2) {
        context.fail("The data has the shape " + formatShape(*x) +
                     "; expected [batch, length, ...].");
    }
    SymbolicShape shape = {context.shape(1) ? context.shape(1)->front() : Dim::unknown()};
    shape.insert(shape.end(), x->begin() + 2, x->end());
    context.setOutput(0, context.dtype(0), std::move(shape));
}

void inferIsFinite(InferenceContext& context) {
    requireFloating(context, 0);
    context.setOutput(0, DType::Bool, context.shape(0));
}

void inferIsAllFinite(InferenceContext& context) {
    for (size_t i = 0; i < context.inputCount(); ++i) requireFloating(context, i);
    context.setOutput(0, DType::Bool, SymbolicShape{});
}

void inferAll(InferenceContext& context) {
    requireDType(context, 0, isBool, "bool");
    context.setOutput(0, DType::Bool, SymbolicShape{});
}

/// Factor, numbers...; the products in the type `to`.
void inferMixedPrecisionScale(InferenceContext& context) {
    const auto to = static_cast<DType>(context.node().attribute<int64_t>("to", 0));
    if (!isFloating(to)) {
        context.fail("Attribute 'to' is " + std::to_string(static_cast<int>(to)) +
                     "; expected the number of a floating-point type.");
    }
    for (size_t i = 1; i < context.inputCount(); ++i) {
        context.setOutput(i - 1, to, context.shape(i));
    }
}

}  // namespace temper
