// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/ops/type_rules.h"
#include "engine/ops/update/update.h"

namespace temper {
namespace {

constexpr size_t kAny = std::numeric_limits<size_t>::max();

void requireSequence(const InferenceContext& context, size_t input) {
    const ValueType& type = context.inputType(input);
    if (!type.isKnown() || type.isSequence) return;
    context.fail("Input " + std::to_string(input) + " has the type " + formatType(type) +
                 "; expected a sequence of tensors.");
}

/// lr, step, weights, gradients, momentums 1, momentums 2, signal?
void inferAdamW(InferenceContext& context) {
    for (size_t i = 2; i < 6; ++i) requireSequence(context, i);
    context.setOutput(0, DType::Bool, context.shape(1));
    sameAsInput(context, 2, 1);
    sameAsInput(context, 4, 2);
    sameAsInput(context, 5, 3);
}

/// lr, weights, gradients, signal?
void inferSgd(InferenceContext& context) {
    for (size_t i = 1; i < 3; ++i) requireSequence(context, i);
    context.setOutput(0, DType::Bool, context.shape(0));
    sameAsInput(context, 1, 1);
}

/// lr, step, weights, gradients, momentums 1, momentums 2?
void inferOptimizerStep(InferenceContext& context) {
    for (size_t i = 2; i < context.inputCount(); ++i) requireSequence(context, i);
    context.setOutput(0, DType::Bool, SymbolicShape{Dim::of(1)});
}

void inferClipGradNorm(InferenceContext& context) {
    requireSequence(context, 0);
    sameAsInput(context);
}

void inferAccumulatorV2(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    requireDType(context, 2, isBool, "bool");
    context.setOutput(0, DType::Bool, SymbolicShape{Dim::of(1)});
    sameAsInput(context, 0, 1);
}

void inferAccumulator(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    requireDType(context, 2, isBool, "bool");
    sameAsInput(context);
}

void inferPassThrough(InferenceContext& context) {
    for (size_t i = 0; i < context.inputCount(); ++i) sameAsInput(context, i, i);
}

void inferGroup(InferenceContext& context) { context.setOutput(0, DType::Bool, SymbolicShape{}); }

}  // namespace

void registerUpdateTypes(OpCatalog& catalog) {
    const std::string ms(kMicrosoftDomain);
    catalog.add({ms, "AdamWOptimizer", inferAdamW, 6, 7});
    catalog.add({ms, "SGDOptimizerV2", inferSgd, 3, 4});
    catalog.add({std::string(kTemperDomain), "OptimizerStep", inferOptimizerStep, 5, 6});
    catalog.add({ms, "InplaceClipGradNorm", inferClipGradNorm, 1, 1});
    catalog.add({ms, "InPlaceAccumulatorV2", inferAccumulatorV2, 2, 3});
    catalog.add({ms, "InPlaceAccumulator", inferAccumulator, 2, 3});
    catalog.add({ms, "ZeroGradient", [](InferenceContext& c) { sameAsInput(c); }, 2, 2});
    catalog.add({ms, "PassThrough", inferPassThrough, 1, kAny});
    catalog.add({ms, "Group", inferGroup, 1, kAny});
}

}  // namespace temper
