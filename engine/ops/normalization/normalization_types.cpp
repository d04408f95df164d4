// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <string>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/normalization/normalization.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

Dim channelsOf(const InferenceContext& context, size_t input) {
    const auto& shape = context.shape(input);
    if (!shape) return Dim::unknown();
    return shape->size() < 2 ? Dim::of(1) : (*shape)[1];
}

/// One number per channel of the input `data`, for inputs that are present.
void checkPerChannel(const InferenceContext& context, std::initializer_list<size_t> inputs,
                     size_t data = 0) {
    for (const size_t i : inputs) {
        if (!context.hasInput(i)) continue;
        requireRank(context, i, 1);
        if (context.shape(i)) {
            mergeDims(context, context.shape(i)->front(), channelsOf(context, data),
                      "the number of channels");
        }
    }
}

void inferBatchNorm(InferenceContext& context) {
    requireFloating(context, 0);
    requireRankAtLeast(context, 0, 1);
    checkPerChannel(context, {1, 2, 3, 4});
    sameAsInput(context);
    for (size_t i = 1; i < 5; ++i) context.setOutput(i, context.inputType(i % 2 == 1 ? 3 : 4));
}

void inferBatchNormGrad(InferenceContext& context) {
    requireRankAtLeast(context, 1, 1);
    checkPerChannel(context, {2, 3, 4}, 1);
    sameAsInput(context, 1, 0);
    sameAsInput(context, 2, 1);
    sameAsInput(context, 2, 2);
}

/// The shape of the statistics: the normalized dimensions are 1.
std::optional<SymbolicShape> statisticsShape(const InferenceContext& context) {
    if (!context.shape(0)) return std::nullopt;
    SymbolicShape shape = *context.shape(0);
    const int64_t axis = requireAxis(context, LayerNormAttributes::of(context.node()).axis,
                                     static_cast<int64_t>(shape.size()));
    std::fill(shape.begin() + axis, shape.end(), Dim::of(1));
    return shape;
}

DType statisticsType(const InferenceContext& context) {
    return context.dtype(0) == DType::Float64 ? DType::Float64 : DType::Float32;
}

void inferLayerNorm(InferenceContext& context) {
    requireFloating(context, 0);
    sameAsInput(context);
    const auto shape = statisticsShape(context);
    context.setOutput(1, statisticsType(context), shape);
    context.setOutput(2, statisticsType(context), shape);
}

/// LayerNormalizationGrad and Simplified...: (dy, x, scale, ...) to (dx, dscale, dbias).
void inferLayerNormGrad(InferenceContext& context) {
    sameAsInput(context, 1, 0);
    sameAsInput(context, 2, 1);
    sameAsInput(context, 2, 2);
}

void inferInstanceNorm(InferenceContext& context) {
    requireFloating(context, 0);
    requireRankAtLeast(context, 0, 2);
    checkPerChannel(context, {1, 2});
    sameAsInput(context);
}

void inferGroupNorm(InferenceContext& context) {
    requireFloating(context, 0);
    requireRankAtLeast(context, 0, 2);
    const auto groups = context.node().attribute<int64_t>("num_groups", 0);
    const Dim channels = channelsOf(context, 0);
    if (!mayDivide(groups, channels)) {
        context.fail("Attribute 'num_groups' is " + std::to_string(groups) +
                     "; expected a divisor of the number of channels.");
    }
    sameAsInput(context);
}

/// GroupNorm and GroupNormGrad of plans: (x, epsilon) and (dx̂, x, epsilon).
void inferStandardization(InferenceContext& context) {
    requireFloating(context, 0);
    sameAsInput(context);
}

/// Sums over channels, the second dimension.
void inferLrn(InferenceContext& context) {
    requireFloating(context, 0);
    sameAsInput(context);
    constexpr int64_t kMaxChannels = int64_t{1} << 30;
    const auto size = context.node().attribute<int64_t>("size", 1);
    if (size < 1 || size > kMaxChannels) {
        context.fail("Attribute 'size' is " + std::to_string(size) +
                     "; expected a number of channels.");
    }
    const auto& shape = context.shape(0);
    if (!shape || shape->size() >= 2) return;
    context.fail("Input 0 has the shape " + formatShape(*shape) +
                 "; expected [batch, channels, ...].");
}

void inferLpNorm(InferenceContext& context) {
    requireFloating(context, 0);
    sameAsInput(context);
    const int64_t rank = context.inputType(0).rank();
    if (rank >= 0) requireAxis(context, context.node().attribute<int64_t>("axis", -1), rank);
}

void inferMeanVarianceNorm(InferenceContext& context) {
    requireFloating(context, 0);
    sameAsInput(context);
    const int64_t rank = context.inputType(0).rank();
    const auto axes = context.node().attribute<std::vector<int64_t>>("axes", {0, 2, 3});
    if (rank >= 0) requireAxes(context, axes, rank);
}

OpInfo onnx(const char* opType, TypeInference infer, size_t minInputs, size_t maxInputs) {
    return {.domain = "",
            .opType = opType,
            .infer = std::move(infer),
            .minInputs = minInputs,
            .maxInputs = maxInputs};
}

OpInfo microsoft(const char* opType, TypeInference infer, size_t inputs) {
    return {.domain = std::string(kMicrosoftDomain),
            .opType = opType,
            .infer = std::move(infer),
            .minInputs = inputs,
            .maxInputs = inputs};
}

}  // namespace

void addNormalizationTypes(OpCatalog& catalog) {
    constexpr auto kFamily = OperatorFamily::Normalization;
    const OperatorFacts scaled{.family = kFamily, .weightInputs = {1, 2}, .scaleInput = 1};
    OperatorFacts byChannel = scaled;
    byChannel.keepsUnits = true;
    OpInfo batchNorm = onnx("BatchNormalization", inferBatchNorm, 5, 5);
    batchNorm.facts = byChannel;
    batchNorm.facts.statisticInputs = {3, 4};
    batchNorm.nonDifferentiableInputs = batchNorm.facts.statisticInputs;
    catalog.add(batchNorm);
    batchNorm.domain = kMicrosoftDomain;
    batchNorm.opType = "BatchNormInternal";
    catalog.add(batchNorm);
    catalog.add(microsoft("BatchNormalizationGrad", inferBatchNormGrad, 5));
    catalog.add(onnx("LayerNormalization", inferLayerNorm, 2, 3), scaled);
    catalog.add(microsoft("LayerNormalizationGrad", inferLayerNormGrad, 5));
    catalog.add(microsoft("InvertibleLayerNormalizationGrad", inferLayerNormGrad, 5));
    catalog.add(onnx("SimplifiedLayerNormalization", inferLayerNorm, 2, 2),
                {.family = kFamily, .scaleInput = 1});
    catalog.add(microsoft("SimplifiedLayerNormalizationGrad", inferLayerNormGrad, 4));
    catalog.add(onnx("InstanceNormalization", inferInstanceNorm, 3, 3), byChannel);
    catalog.add(onnx("GroupNormalization", inferGroupNorm, 3, 3), scaled);
    const std::string plans(kTemperDomain);
    catalog.add({plans, "GroupNorm", inferStandardization, 2, 2});
    catalog.add({plans, "GroupNormGrad", inferStandardization, 3, 3});
    catalog.add(onnx("LRN", inferLrn, 1, 1), {.family = kFamily});
    catalog.add(onnx("LpNormalization", inferLpNorm, 1, 1), {.family = kFamily});
    catalog.add(onnx("MeanVarianceNormalization", inferMeanVarianceNorm, 1, 1),
                {.family = kFamily});
}

}  // namespace temper
