// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/ops/type_rules.h"
#include "engine/ops/update/update.h"

namespace temper {
namespace {

constexpr size_t kAny = std::numeric_limits<size_t>::max();

/// lr, step, weights, gradients, momentums 1, momentums 2, signal?
void inferAdamW(InferenceContext& context) {
    context.setOutput(0, DType::Bool, context.shape(1));
    sameAsInput(context, 2, 1);
    sameAsInput(context, 4, 2);
    sameAsInput(context, 5, 3);
}

/// lr, weights, gradients, signal?
void inferSgd(InferenceContext& context) {
    context.setOutput(0, DType::Bool, context.shape(0));
    sameAsInput(context, 1, 1);
}

/// lr, step, weights, gradients, momentums 1, momentums 2?
void inferOptimizerStep(InferenceContext& context) {
    context.setOutput(0, DType::Bool, SymbolicShape{Dim::of(1)});
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
    catalog.add({ms, "AdamWOptimizer", inferAdamW, 6, 7}, {.sequenceInputs = {2, 3, 4, 5}});
    catalog.add({ms, "SGDOptimizerV2", inferSgd, 3, 4}, {.sequenceInputs = {1, 2}});
    catalog.add({std::string(kTemperDomain), "OptimizerStep", inferOptimizerStep, 5, 6},
                {.sequenceInputs = {2, 3, 4, 5}});
    catalog.add({ms, "InplaceClipGradNorm", [](InferenceContext& c) { sameAsInput(c); }, 1, 1},
                {.sequenceInputs = {0}});
    catalog.add({ms, "InPlaceAccumulatorV2", inferAccumulatorV2, 2, 3});
    catalog.add({ms, "InPlaceAccumulator", inferAccumulator, 2, 3});
    catalog.add({ms, "ZeroGradient", [](InferenceContext& c) { sameAsInput(c); }, 2, 2});
    catalog.add({ms, "PassThrough", inferPassThrough, 1, kAny});
    catalog.add({ms, "Group", inferGroup, 1, kAny});
}

}  // namespace temper
