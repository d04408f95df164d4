// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/conv.h"
#include "engine/ops/lowered_op.h"
#include "engine/ops/quantization/quantization.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

// Convolutions of integers run as convolutions in double precision, which holds their sums exactly.

/// [batch, features, spatial...] of images and weights at these inputs.
std::optional<SymbolicShape> convShape(InferenceContext& context, size_t image, size_t weights) {
    requireDType(context, image, isByte, "int8 or uint8");
    requireDType(context, weights, isByte, "int8 or uint8");
    const auto &x = context.shape(image), &w = context.shape(weights);
    if (!x || !w) return std::nullopt;
    if (x->size() < 3 || x->size() != w->size()) {
        context.fail("The images have the shape " + formatShape(*x) + " and the weights " +
                     formatShape(*w) + "; expected equal ranks of 3 or more.");
    }
    const SymbolicShape spatial(x->begin() + 2, x->end());
    const WindowAttributes window = convWindow(context.node(), *w);
    checkWindow(context, window, spatial);
    SymbolicShape shape = {x->front(), w->front()};
    for (const Dim& dim : windowOutput(window, spatial)) shape.push_back(dim);
    return shape;
}

void inferConvInteger(InferenceContext& context) {
    requireSameDType(context, 0, 2);
    requireSameDType(context, 1, 3);
    context.setOutput(0, DType::Int32, convShape(context, 0, 1));
}

void inferQLinearConv(InferenceContext& context) {
    requireSameDType(context, 0, 2);
    requireSameDType(context, 3, 5);
    for (const size_t input : {1, 4, 6}) requireFloating(context, input);
    context.setOutput(0, context.dtype(7), convShape(context, 0, 3));
}

/// A number for all, or one for each feature map: [features, 1...] of `rank` dimensions.
Var perFeature(Var x, int64_t rank) {
    const auto& shape = x.type().shape;
    if (!shape || shape->size() != 1 || shape->front() == Dim::of(1)) return x;
    std::vector<int64_t> added;
    for (int64_t axis = 1; axis < rank; ++axis) added.push_back(axis);
    return unsqueeze(x, added);
}

/// x - zero in double precision.
Var centred(const LoweringContext& node, size_t x, size_t zero) {
    const Var wide = cast(node.input(x), DType::Float64);
    if (!node.hasInput(zero)) return wide;
    return wide - perFeature(cast(node.input(zero), DType::Float64), node.rank(x));
}

std::vector<Var> lowerConvInteger(const LoweringContext& node) {
    const Var sum = node.emitter().op("Conv", {centred(node, 0, 2), centred(node, 1, 3)},
                                      node.node().attributes());
    return {cast(sum, DType::Int32)};
}

/// y = saturate(round((conv(x, w) + bias) scaleX scaleW / scaleY) + zeroY)
std::vector<Var> lowerQLinearConv(const LoweringContext& node) {
    const Var bias = node.hasInput(8) ? cast(node.input(8), DType::Float64) : Var();
    const Var sum = node.emitter().op("Conv", {centred(node, 0, 2), centred(node, 3, 5), bias},
                                      node.node().attributes());
    const Var scale = node.input(1) * perFeature(node.input(4), node.rank(0) - 1);
    const Var numbers = cast(sum, scale.dtype()) * scale;
    return {node.emitter().op("QuantizeLinear", {numbers, node.input(6), node.input(7)})};
}

/// That of com.microsoft, whose images may have their channels last; its weights are as usual.
std::vector<Var> lowerContribConv(const LoweringContext& node) {
    const bool last = areChannelsLast(node.node());
    std::vector<Var> inputs;
    for (size_t i = 0; i < node.node().inputs().size(); ++i) inputs.push_back(node.input(i));
    if (last) inputs[0] = channelsFirst(inputs[0]);
    Attributes attributes = node.node().attributes();
    attributes.erase("channels_last");
    const Var y = node.emitter().op("QLinearConv", inputs, attributes);
    return {last ? channelsLast(y) : y};
}

void inferContribConv(InferenceContext& context) {
    if (!areChannelsLast(context.node())) return inferQLinearConv(context);
    const auto &x = context.shape(0), &w = context.shape(3);
    requireSameDType(context, 0, 2);
    requireSameDType(context, 3, 5);
    if (!x || !w || x->size() < 3 || x->size() != w->size()) {
        return context.setOutput(0, context.dtype(7), std::nullopt);
    }
    const SymbolicShape spatial(x->begin() + 1, x->end() - 1);
    const WindowAttributes window = convWindow(context.node(), *w);
    checkWindow(context, window, spatial);
    SymbolicShape shape{x->front()};
    for (const Dim& dim : windowOutput(window, spatial)) shape.push_back(dim);
    shape.push_back(w->front());
    context.setOutput(0, context.dtype(7), shape);
}

}  // namespace

bool areChannelsLast(const Node& node) { return node.attribute<int64_t>("channels_last", 0) != 0; }

void registerIntegerConv(OpSet& ops) {
    // Their gradients: integer_gradient.cpp.
    ops.catalog.add({"", "ConvInteger", inferConvInteger, 2, 4, {}, loweringBy(lowerConvInteger)});
    ops.catalog.add(
        {"", "QLinearConv", inferQLinearConv, 8, 9, {1, 4, 6}, loweringBy(lowerQLinearConv)});
    addLowered(ops,
               {std::string(kMicrosoftDomain), "QLinearConv", inferContribConv, 8, 9, {1, 4, 6}},
               lowerContribConv);
}

}  // namespace temper
