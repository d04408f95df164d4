// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/conv/conv.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

// Convolutions of images [batch, spatial..., channels]: the usual ones, with transposed images.

SymbolicShape channelsFirstShape(SymbolicShape shape) {
    std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
    return shape;
}

/// Inputs: x, weights [features, spatial..., channels / group], bias?.
std::vector<Var> lowerNhwcConv(const LoweringContext& node) {
    const Var y = node.emitter().op(
        "Conv", {channelsFirst(node.input(0)), channelsFirst(node.input(1)), node.input(2)},
        node.node().attributes());
    return {channelsLast(y)};
}

/// Inputs: x, weights [features, channels / group, spatial...], bias?, z?.
/// y = activation(conv(x, w) + bias + z), z and y as x.
std::vector<Var> lowerNhwcFusedConv(const LoweringContext& node) {
    const Var sum =
        node.emitter().op("Conv", {channelsFirst(node.input(0)), node.input(1), node.input(2)},
                          attributesBut(node.node(), {"activation", "activation_params"}));
    const Var y = channelsLast(sum);
    return {activatedConv(node, node.hasInput(3) ? y + node.input(3) : y)};
}

/// Each group of channels has its own weights.
void checkGroup(const InferenceContext& context, const Dim& channels, const Dim& perGroup) {
    const auto group = context.node().attribute<int64_t>("group", 1);
    if (!channels.isNumber() || !perGroup.isNumber()) return;
    if (mayDivide(group, channels) && quotientOf(channels, group).value == perGroup.value) return;
    context.fail("The image has " + counted(channels.value, "channel") + " and the weights " +
                     std::to_string(perGroup.value) + " for each of " + std::to_string(group) +
                     " groups.",
                 "Check the attribute 'group' and the layout of the weights.");
}

/// `areWeightsLast`: the weights have their channels last, too.
TypeInference inferChannelsLast(bool areWeightsLast) {
    return [areWeightsLast](InferenceContext& context) {
        requireFloating(context, 0);
        for (const size_t i : {1, 2, 3}) requireSameDType(context, 0, i);
        const auto &image = context.shape(0), &given = context.shape(1);
        if (!image || !given) return context.setOutput(0, context.dtype(0), std::nullopt);
        if (image->size() < 3 || image->size() != given->size()) {
            context.fail("The images have the shape " + formatShape(*image) + " and the weights " +
                             formatShape(*given) + "; expected equal ranks of 3 or more.",
                         "Check the shapes of the model.");
        }
        const SymbolicShape weights = areWeightsLast ? channelsFirstShape(*given) : *given;
        checkGroup(context, image->back(), weights[1]);
        const SymbolicShape spatial(image->begin() + 1, image->end() - 1);
        const WindowAttributes window = convWindow(context.node(), weights);
        checkWindow(context, window, spatial);
        SymbolicShape shape{image->front()};
        for (const Dim& dim : windowOutput(window, spatial)) shape.push_back(dim);
        shape.push_back(weights.front());
        context.setOutput(0, context.dtype(0), shape);
    };
}

}  // namespace

void registerChannelsLast(OpSet& ops) {
    addLowered(ops, microsoftOp("NhwcConv", inferChannelsLast(true), 2, 3), lowerNhwcConv);
    addLowered(ops, microsoftOp("NhwcFusedConv", inferChannelsLast(false), 2, 4),
               lowerNhwcFusedConv);
}

}  // namespace temper
