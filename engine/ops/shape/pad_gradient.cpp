// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/shape/known_shape.h"
#include "engine/ops/shape/pad_widths.h"
#include "engine/ops/shape/shape.h"

namespace temper {
namespace {

std::vector<int64_t> negated(std::vector<int64_t> values) {
    requirePadWidths(values);
    for (int64_t& value : values) value = -value;
    return values;
}

/// y = x with a border of constants  =>  dx = dy without the border: Pad with negated widths
Gradients constantPadGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var dy = node.outputGradient(0);
    if (!node.hasInput(1)) {
        const auto pads = node.attribute<std::vector<int64_t>>("pads", {});
        return {emitter.op("Pad", {dy}, {{"pads", negated(pads)}})};
    }
    const auto pads = knownIntegers(node.input(1));
    const Var widths = pads ? emitter.integers(negated(*pads)) : -node.input(1);
    if (!node.hasInput(3)) return {emitter.op("Pad", {dy, widths})};
    return {emitter.op("Pad", {dy, widths, Var(), node.input(3)})};
}

/// The shape of `g` with another dimension, an int64 [1], at `axis`.
Var shapeWithDim(Var g, int64_t axis, Var dim) {
    GradientEmitter& emitter = g.emitter();
    SymbolicShape wanted = g.shape();
    if (const auto number = knownIntegers(dim)) {
        wanted[static_cast<size_t>(axis)] = Dim::of(number->front());
        if (const auto known = concreteShape(wanted)) return emitter.integers(*known);
    }
    const Var shape = shapeOf(g);
    std::vector<Var> parts;
    const auto addDims = [&](int64_t begin, int64_t end) {
        if (begin == end) return;
        std::vector<int64_t> places(static_cast<size_t>(end - begin));
        std::iota(places.begin(), places.end(), begin);
        parts.push_back(emitter.op("Gather", {shape, emitter.integers(places)}));
    };
    addDims(0, axis);
    parts.push_back(dim);
    addDims(axis + 1, static_cast<int64_t>(wanted.size()));
    return concat(parts, 0);
}

/// For each place of the output along an axis, the place of the input that it repeats.
Var repeatedPlaces(const GradientContext& node, PadMode mode, const PadWidths& widths,
                   size_t axis) {
    GradientEmitter& emitter = node.emitter();
    const Dim& dim = (*node.input(0).type().shape)[axis];
    if (dim.isNumber()) {
        std::vector<int64_t> sources;
        const Dim padded = sumOf(dim, widths.begin[axis] + widths.end[axis]);
        for (int64_t i = 0; i < padded.value; ++i)
            sources.push_back(widths.source(mode, axis, i, dim.value));
        return emitter.integers(sources);
    }
    // The places of the input, padded as the input was.
    const Var size = emitter.op(
        "Gather", {shapeOf(node.input(0)),
                   emitter.constant(Tensor::scalar<int64_t>(static_cast<int64_t>(axis)), "axis")});
    const Var places =
        emitter.op("Range", {emitter.constant(Tensor::scalar<int64_t>(0), "first"), size,
                             emitter.constant(Tensor::scalar<int64_t>(1), "step")});
    const Attributes attributes = {{"mode", node.attribute<std::string>("mode", "")}};
    return emitter.op("Pad", {places, emitter.integers({widths.begin[axis], widths.end[axis]})},
                      attributes);
}

/// Reflect, edge and wrap: along each axis, y gathers from x  =>  dx scatters dy back and adds
Gradients repeatingPadGradient(const GradientContext& node, PadMode mode) {
    GradientEmitter& emitter = node.emitter();
    const auto& shape = node.input(0).type().shape;
    const auto widths = shape
                            ? PadWidths::of(node.node(), shape->size(),
                                            [&](size_t i) { return knownIntegers(node.input(i)); })
                            : std::nullopt;
    if (!widths) {
        throw Error(ErrorCode::Unsupported,
                    "The widths of a repeating Pad depend on data; its gradient needs them.");
    }
    Var gradient = node.outputGradient(0);
    for (size_t axis = 0; axis < shape->size(); ++axis) {
        if (widths->begin[axis] == 0 && widths->end[axis] == 0) continue;
        const auto place = static_cast<int64_t>(axis);
        const Dim& dim = (*shape)[axis];
        if (!dim.isNumber() && node.opset() < 11) {
            throw Error(
                ErrorCode::Unsupported,
                "Axis " + std::to_string(axis) + " is padded by repetition and has no fixed size.",
                "Export the model with fixed image sizes, or with opset 11 or later.");
        }
        const Var size =
            dim.isNumber()
                ? emitter.integers({dim.value})
                : emitter.op("Gather", {shapeOf(node.input(0)), emitter.integers({place})});
        gradient = emitter.msOp("GatherGrad",
                                {shapeWithDim(gradient, place, size),
                                 repeatedPlaces(node, mode, *widths, axis), gradient},
                                {{"axis", place}});
    }
    return {gradient};
}

Gradients padGradient(const GradientContext& node) {
    const PadMode mode = padMode(node.node());
    return mode == PadMode::Constant ? constantPadGradient(node) : repeatingPadGradient(node, mode);
}

}  // namespace

void addPadGradients(GradientRules& rules) { rules.add("", "Pad", padGradient); }

}  // namespace temper
