// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/mask_bits.h"
#include "engine/ops/random/random.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// The mask is boolean since opset 10; before, it had the type of the data.
void inferDropout(InferenceContext& context) {
    requireFloating(context, 0);
    requireDType(context, 1, isFloating, "a floating-point type");
    requireDType(context, 2, isBool, "bool");
    sameAsInput(context);
    const DType mask = context.opset() < 10 ? context.dtype(0) : DType::Bool;
    context.setOutput(1, mask, context.shape(0));
}

void inferDropoutGrad(InferenceContext& context) {
    requireFloating(context, 0);
    requireDType(context, 1, isBool, "bool");
    sameAsInput(context);
}

void inferBitDropout(InferenceContext& context) {
    inferDropout(context);
    const auto sizes = context.shape(0) ? concreteShape(*context.shape(0)) : std::nullopt;
    const Dim numbers = sizes ? Dim::of((numElements(*sizes) + 7) / 8) : Dim::unknown();
    context.setOutput(mask_bits::kMaskOutput, DType::UInt8, SymbolicShape{numbers});
}

void inferBitDropoutGrad(InferenceContext& context) {
    requireFloating(context, 0);
    sameAsInput(context);
}

void inferGenerator(InferenceContext& context) {
    const auto shape = context.node().attribute<std::vector<int64_t>>("shape");
    if (!shape) context.fail("Attribute 'shape' is missing; expected the shape of the output.");
    context.setOutput(0, dtypeAttribute(context, "dtype", DType::Float32), symbolicShape(*shape));
}

void inferLike(InferenceContext& context) {
    context.setOutput(0, dtypeAttribute(context, "dtype", context.dtype(0)), context.shape(0));
}

bool isSampleType(DType dtype) { return dtype == DType::Int32 || dtype == DType::Int64; }

/// [batch, classes] -> [batch, sample_size]
void inferMultinomial(InferenceContext& context) {
    requireFloating(context, 0);
    requireRank(context, 0, 2);
    const DType dtype = dtypeAttribute(context, "dtype", DType::Int32);
    if (!isSampleType(dtype)) {
        context.fail("Attribute 'dtype' is " + std::string(dtypeName(dtype)) +
                     "; expected int32 or int64.");
    }
    const auto samples = context.node().attribute<int64_t>("sample_size", 1);
    if (samples < 0) {
        context.fail("Attribute 'sample_size' is " + std::to_string(samples) +
                     "; expected a number of samples.");
    }
    requireRank(context, 0, 2);
    const Dim batch = context.shape(0) ? context.shape(0)->front() : Dim::unknown();
    context.setOutput(0, dtype, SymbolicShape{batch, Dim::of(samples)});
}

}  // namespace

void registerRandomTypes(OpCatalog& catalog) {
    catalog.add({"", "Dropout", inferDropout, 1, 3, {1, 2}},
                {.family = OperatorFamily::Regularization,
                 .isElementwise = true,
                 .keepsUnits = true,
                 .keepsClasses = true});
    catalog.add({std::string(kMicrosoftDomain), "DropoutGrad", inferDropoutGrad, 2, 4, {1, 2, 3}});
    const std::string plans(mask_bits::kDomain);
    catalog.add({plans, std::string(mask_bits::kForward), inferBitDropout, 3, 3, {1, 2}});
    catalog.add({plans, std::string(mask_bits::kBackward), inferBitDropoutGrad, 2, 4, {1, 2, 3}});
    const OperatorFacts random{.isRandom = true};
    catalog.add({"", "RandomNormal", inferGenerator, 0, 0, {}}, random);
    catalog.add({"", "RandomUniform", inferGenerator, 0, 0, {}}, random);
    catalog.add({"", "RandomNormalLike", inferLike, 1, 1, {0}}, random);
    catalog.add({"", "RandomUniformLike", inferLike, 1, 1, {0}}, random);
    catalog.add({"", "Bernoulli", inferLike, 1, 1, {}}, random);
    catalog.add({"", "Multinomial", inferMultinomial, 1, 1, {0}}, random);
}

}  // namespace temper
