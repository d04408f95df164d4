// SPDX-License-Identifier: Apache-2.0
#include "engine/core/process_memory.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/attention/attention_form.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

bool normalizesLast(const Node& node) { return node.attribute<int64_t>("channels_last", 1) != 0; }

/// gamma (x - mean) / deviation + beta of each group of channels, x sigmoid(x) of that if the
/// attribute `activation` is 1. Inputs: x, gamma [C], beta [C].
Var normalizedGroups(const LoweringContext& node, Var x) {
    GradientEmitter& emitter = node.emitter();
    const bool last = normalizesLast(node.node());
    const auto groups = node.attribute<int64_t>("groups", 0);
    requireMemory("A number for each of " + std::to_string(groups) + " groups",
                  sizeof(double) * static_cast<double>(groups));
    const Var image = last ? channelsFirst(x) : x;
    const auto constant = [&](double value) {
        const std::vector<double> all(static_cast<size_t>(groups), value);
        return emitter.constant(Tensor::of<double>({groups}, all).cast(x.dtype()));
    };
    const Var normal = emitter.op("InstanceNormalization",
                                  {reshapeTo(image, {0, groups, -1}), constant(1), constant(0)},
                                  {{"epsilon", node.attribute<float>("epsilon", 1e-5F)}});
    std::vector<int64_t> spatial;
    for (int64_t axis = 1; axis + 1 < image.rank(); ++axis) spatial.push_back(axis);
    const auto byChannel = [&](size_t input) {
        return unsqueeze(asType(node.input(input), x.dtype()), spatial);
    };
    Var y = reshapeLike(normal, image) * byChannel(1) + byChannel(2);
    if (node.attribute<int64_t>("activation", 0) == 1) y = y * sigmoid(y);
    return last ? channelsLast(y) : y;
}

std::vector<Var> lowerGroupNorm(const LoweringContext& node) {
    return {normalizedGroups(node, node.input(0))};
}

/// The skip as x, or one for each image and channel.
Var broadcastSkip(const LoweringContext& node) {
    const Var skip = node.input(3);
    if (skip.rank() == node.rank(0)) return skip;
    std::vector<int64_t> spatial;
    const bool last = normalizesLast(node.node());
    for (int64_t axis = 2; axis < node.rank(0); ++axis) spatial.push_back(last ? axis - 1 : axis);
    return unsqueeze(skip, spatial);
}

/// Inputs: x, gamma, beta, skip, bias [C]?. Outputs: y of the sum, the sum?.
std::vector<Var> lowerSkipGroupNorm(const LoweringContext& node) {
    Var total = node.input(0) + broadcastSkip(node);
    if (node.hasInput(4)) {
        std::vector<int64_t> spatial;
        if (!normalizesLast(node.node())) {
            for (int64_t axis = 1; axis + 1 < node.rank(0); ++axis) spatial.push_back(axis);
        }
        total = total + (spatial.empty() ? node.input(4) : unsqueeze(node.input(4), spatial));
    }
    return {normalizedGroups(node, total), total};
}

void checkChannelGroups(const InferenceContext& context) {
    const auto& shape = context.shape(0);
    if (shape && shape->size() < 3) {
        context.fail("The input has the shape " + formatShape(*shape) +
                         "; expected batch, channels and spatial dimensions.",
                     "Reshape it.");
    }
    const auto groups = context.node().attribute<int64_t>("groups", 0);
    Dim channels = context.shape(1) ? context.shape(1)->front() : Dim::unknown();
    if (shape) {
        const Dim& ofInput = normalizesLast(context.node()) ? shape->back() : (*shape)[1];
        channels = mergeDims(context, channels, ofInput, "The channels and the length of gamma");
    }
    if (mayDivide(groups, channels)) return;
    context.fail("Attribute 'groups' is " + std::to_string(groups) +
                     "; expected a divisor of the number of channels " + formatShape({channels}) +
                     ".",
                 "Export the model again: the attribute is wrong or missing.");
}

void inferGroupNorm(InferenceContext& context) {
    requireFloating(context, 0);
    for (const size_t i : {1, 2}) {
        requireFloating(context, i);
        requireRank(context, i, 1);
    }
    checkChannelGroups(context);
    sameAsInput(context);
}

void inferSkipGroupNorm(InferenceContext& context) {
    inferGroupNorm(context);
    requireSameDType(context, 0, 3);
    requireSameDType(context, 0, 4);
    requireRank(context, 4, 1);
    const auto &x = context.shape(0), &skip = context.shape(3);
    if (x && skip && skip->size() != x->size() && skip->size() != 2) {
        context.fail("The skip has the shape " + formatShape(*skip) + " and the input " +
                         formatShape(*x) + "; expected equal ranks, or [batch, channels].",
                     "Reshape the skip.");
    }
    sameAsInput(context, 0, 1);
}

}  // namespace

void registerGroupNorm(OpSet& ops) {
    const OperatorFacts facts{.family = OperatorFamily::Normalization, .scaleInput = 1};
    addLowered(ops, microsoftOp("GroupNorm", inferGroupNorm, 3, 3), lowerGroupNorm, facts);
    addLowered(ops, microsoftOp("SkipGroupNorm", inferSkipGroupNorm, 4, 5), lowerSkipGroupNorm,
               facts);
}

}  // namespace temper
