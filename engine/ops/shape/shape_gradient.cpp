// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/lowered_op.h"
#include "engine/ops/shape/known_shape.h"
#include "engine/ops/shape/shape.h"
#include "engine/ops/shape/slice_range.h"

namespace temper {
namespace {

/// y is x with another shape  =>  dx = dy with x's shape
Gradients reshapeGradient(const GradientContext& node) {
    return {reshapeBack(node.outputGradient(0), node.input(0))};
}

/// y = transpose(x, p)  =>  dx = transpose(dy, inverse of p)
Gradients transposeGradient(const GradientContext& node) {
    const Var dy = node.outputGradient(0);
    const auto permutation = node.attribute<std::vector<int64_t>>("perm", {});
    if (permutation.empty()) return {node.emitter().op("Transpose", {dy})};
    std::vector<int64_t> inverse(permutation.size());
    const auto rank = static_cast<int64_t>(permutation.size());
    for (int64_t i = 0; i < rank; ++i) {
        inverse.at(static_cast<size_t>(normalizeAxis(permutation[i], rank, "An axis"))) = i;
    }
    return {transpose(dy, inverse)};
}

/// Squeeze and Unsqueeze undo each other; the axes keep their form.
Var undoAxes(const GradientContext& node, const char* inverse) {
    const Var dy = node.outputGradient(0);
    if (node.hasInput(1)) return node.emitter().op(inverse, {dy, node.input(1)});
    return node.emitter().op(inverse, {dy},
                             {{"axes", node.attribute<std::vector<int64_t>>("axes", {})}});
}

Gradients squeezeGradient(const GradientContext& node) {
    if (!node.hasInput(1) && !node.node().hasAttribute("axes")) return reshapeGradient(node);
    return {undoAxes(node, "Unsqueeze")};
}

Gradients unsqueezeGradient(const GradientContext& node) { return {undoAxes(node, "Squeeze")}; }

/// y = x broadcast: the walk sums dy back to x's shape.
Gradients expandGradient(const GradientContext& node) { return {node.outputGradient(0)}; }

/// y = x repeated r times  =>  dx = sum of the repetitions: dy as [r0, d0, r1, d1, ...], summed
/// over the even axes.
Gradients tileGradient(const GradientContext& node) {
    const Var x = node.input(0);
    if (!x.type().shape) {
        throw Error(ErrorCode::Unsupported, "The rank of '" + x.value()->name() +
                                                "' is unknown; the gradient of Tile needs it.");
    }
    const Var pairs = concat({unsqueeze(node.input(1), {1}), unsqueeze(knownShape(x), {1})}, 1);
    const Var split =
        reshape(node.outputGradient(0), reshape(pairs, node.emitter().integers({-1})));
    std::vector<int64_t> repetitions;
    for (int64_t axis = 0; axis < x.type().rank(); ++axis) repetitions.push_back(2 * axis);
    return {sum(split, repetitions, false)};
}

Gradients spaceToDepthGradient(const GradientContext& node) {
    Attributes attributes = {{"blocksize", node.attribute<int64_t>("blocksize", 1)}};
    const auto mode = node.attribute<std::string>("mode", "DCR");
    if (mode != "DCR") attributes.emplace("mode", mode);
    return {node.emitter().op("DepthToSpace", {node.outputGradient(0)}, attributes)};
}

/// DCR is undone by SpaceToDepth. CRD orders the channels as [C, b*b] instead of [b*b, C]: they are
/// transposed after it.
Gradients depthToSpaceGradient(const GradientContext& node) {
    const auto block = node.attribute<int64_t>("blocksize", 1);
    const Var dcr =
        node.emitter().op("SpaceToDepth", {node.outputGradient(0)}, {{"blocksize", block}});
    if (node.attribute<std::string>("mode", "DCR") == "DCR") return {dcr};
    const auto& shape = node.input(0).type().shape;
    if (!shape || !(*shape)[1].isNumber()) {
        throw Error(
            ErrorCode::Unsupported,
            "The number of channels is unknown; the gradient of DepthToSpace (CRD) needs it.");
    }
    const int64_t squared = block * block;
    const Var apart = reshape(
        dcr, node.emitter().integers({0, squared, quotientOf((*shape)[1], squared).value, -1}));
    return {reshapeBack(transpose(apart, {0, 2, 1, 3}), node.input(0))};
}

/// The mask is the same for the gradient. ORT has the operator in its own domain for any opset.
Gradients triluGradient(const GradientContext& node) {
    std::vector<Var> inputs = {node.outputGradient(0)};
    if (node.hasInput(1)) inputs.push_back(node.input(1));
    return {node.emitter().msOp("Trilu", inputs, {{"upper", node.attribute<int64_t>("upper", 1)}})};
}

Gradients reverseSequenceGradient(const GradientContext& node) {
    return {node.emitter().op("ReverseSequence", {node.outputGradient(0), node.input(1)},
                              node.node().attributes())};
}

/// y[i] = start + i delta  =>  dstart = sum of dy, ddelta = sum of i dy
Gradients rangeGradient(const GradientContext& node) {
    const Var dy = node.outputGradient(0);
    const auto total = [](Var part) { return sum(part, {}, false); };
    if (!node.needs(2)) return {total(dy)};
    const Var steps = cast(countingTo(sizeAlong(dy, 0)), dy.dtype());
    return {total(dy), {}, total(dy * steps)};
}

/// Lengths of Concat's inputs along the axis, if all are numbers.
std::optional<std::vector<int64_t>> knownLengths(const GradientContext& node, int64_t axis) {
    std::vector<int64_t> lengths;
    for (size_t i = 0; i < node.inputCount(); ++i) {
        const auto& shape = node.input(i).type().shape;
        if (!shape) return std::nullopt;
        const Dim& dim = shape->at(static_cast<size_t>(
            normalizeAxis(axis, static_cast<int64_t>(shape->size()), "The axis")));
        if (!dim.isNumber()) return std::nullopt;
        lengths.push_back(dim.value);
    }
    return lengths;
}

/// The same as a vector that is computed when the model runs.
Var lengthsAtRunTime(const GradientContext& node, int64_t axis) {
    GradientEmitter& emitter = node.emitter();
    std::vector<Var> lengths;
    for (size_t i = 0; i < node.inputCount(); ++i) {
        const auto& shape = node.input(i).type().shape;
        if (!shape && axis < 0) {
            throw Error(ErrorCode::Unsupported,
                        "The rank of input " + std::to_string(i) +
                            " is unknown; Concat along a negative axis needs it for its gradient.");
        }
        const int64_t place = axis < 0 ? axis + node.input(i).type().rank() : axis;
        lengths.push_back(
            emitter.op("Gather", {shapeOf(node.input(i)), emitter.integers({place})}));
    }
    return concat(lengths, 0);
}

/// y = [x0 x1 ...]  =>  dxi = the part of dy where xi is
Gradients concatGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var dy = node.outputGradient(0);
    if (node.inputCount() == 1) return {dy};
    const auto axis = node.attribute<int64_t>("axis", 0);
    const std::vector<bool> all(node.inputCount(), true);
    const auto lengths = knownLengths(node, axis);
    if (lengths && emitter.opset() < 13) {
        return emitter.add(kOnnxDomain, "Split", {dy}, {{"axis", axis}, {"split", *lengths}}, all);
    }
    const Var sizes = lengths ? emitter.integers(*lengths) : lengthsAtRunTime(node, axis);
    if (emitter.opset() < 13) {
        return emitter.add(kMicrosoftDomain, "SplitTraining", {dy, sizes}, {{"axis", axis}}, all);
    }
    return emitter.add(kOnnxDomain, "Split", {dy, sizes}, {{"axis", axis}}, all);
}

Gradients concatTrainingGradient(const GradientContext& node) {
    const Var dy = node.outputGradient(0);
    const auto axis = node.attribute<int64_t>("axis", 0);
    const Var sizes =
        node.output(1).value() != nullptr ? node.output(1) : lengthsAtRunTime(node, axis);
    return node.emitter().add(kMicrosoftDomain, "SplitTraining", {dy, sizes}, {{"axis", axis}},
                              std::vector<bool>(node.inputCount(), true));
}

/// [y0 y1 ...] = x  =>  dx = [dy0 dy1 ...], with zeros for parts that the loss does not depend on
Gradients splitGradient(const GradientContext& node) {
    std::vector<Var> parts;
    for (size_t i = 0; i < node.outputCount(); ++i) {
        const Var dy = node.outputGradient(i);
        parts.push_back(dy ? dy : zerosLike(node.output(i)));
    }
    if (parts.size() == 1) return {parts.front()};
    return {concat(parts, node.attribute<int64_t>("axis", 0))};
}

/// A Slice written forwards, and the axes along which it went backwards.
struct TurnedSlice {
    SliceParameters slice;
    std::vector<int64_t> turned;
};

/// nullopt: it goes forwards along all axes, or its numbers are not constant.
std::optional<TurnedSlice> turnedSlice(const GradientContext& node) {
    const auto read = [&](size_t input) -> std::optional<std::vector<int64_t>> {
        const Tensor& constant = node.input(input).value()->constant();
        if (constant.empty()) return std::nullopt;
        const Tensor wide = constant.cast(DType::Int64);
        const auto values = wide.values<int64_t>();
        return std::vector<int64_t>(values.begin(), values.end());
    };
    const auto& shape = node.input(0).type().shape;
    auto parameters = SliceParameters::of(node.node(), 1, read);
    if (!parameters || !shape) return std::nullopt;
    parameters->check();
    std::vector<int64_t> turned;
    for (size_t i = 0; i < parameters->steps.size(); ++i) {
        if (parameters->steps[i] > 0) continue;
        const int64_t axis = parameters->axisOf(i, static_cast<int64_t>(shape->size()));
        const Dim& dim = (*shape)[static_cast<size_t>(axis)];
        const auto bounds =
            forwards({parameters->starts[i], parameters->ends[i], parameters->steps[i]},
                     dim.isNumber() ? std::optional(dim.value) : std::nullopt);
        if (!bounds) return std::nullopt;
        parameters->starts[i] = bounds->start;
        parameters->ends[i] = bounds->end;
        parameters->steps[i] = bounds->step;
        turned.push_back(axis);
    }
    if (turned.empty()) return std::nullopt;
    return TurnedSlice{*std::move(parameters), std::move(turned)};
}

/// x in the opposite order along the axes.
Var turnedOver(const Var& x, const std::vector<int64_t>& axes) {
    GradientEmitter& emitter = x.emitter();
    const size_t count = axes.size();
    const Var last = emitter.integers(std::vector<int64_t>(count, -1));
    const Var beforeFirst =
        emitter.integers(std::vector<int64_t>(count, std::numeric_limits<int64_t>::min() + 1));
    return emitter.op("Slice", {x, last, beforeFirst, emitter.integers(axes), last});
}

/// ONNX Runtime's SliceGrad refuses steps below zero (narrowing_error, 1.19): dy is reversed, and
/// the slice goes forwards.
Gradients turnedSliceGradient(const GradientContext& node, const TurnedSlice& made) {
    GradientEmitter& emitter = node.emitter();
    std::vector<Var> inputs = {turnedOver(node.outputGradient(0), made.turned),
                               knownShape(node.input(0)), emitter.integers(made.slice.starts),
                               emitter.integers(made.slice.ends)};
    std::vector<int64_t> axes = made.slice.axes;
    if (axes.empty()) {
        axes.resize(made.slice.starts.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    inputs.push_back(emitter.integers(axes));
    inputs.push_back(emitter.integers(made.slice.steps));
    return {emitter.msOp("SliceGrad", inputs)};
}

/// y = x[slice]  =>  dx = zeros with dy at the slice
Gradients sliceGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    if (const auto turned = turnedSlice(node)) return turnedSliceGradient(node, *turned);
    std::vector<Var> inputs = {node.outputGradient(0), knownShape(node.input(0))};
    if (node.hasInput(1)) {
        for (size_t i = 1; i < node.inputCount(); ++i) inputs.push_back(node.input(i));
    } else {
        for (const char* name : {"starts", "ends", "axes"}) {
            if (!node.node().hasAttribute(name)) continue;
            inputs.push_back(emitter.integers(node.attribute<std::vector<int64_t>>(name, {})));
        }
    }
    return {emitter.msOp("SliceGrad", inputs)};
}

}  // namespace

void addShapeGradients(GradientRules& rules) {
    addPadGradients(rules);
    rules.add("", "Reshape", reshapeGradient);
    rules.add("", "Flatten", reshapeGradient);
    rules.add("", "Transpose", transposeGradient);
    rules.add("", "Squeeze", squeezeGradient);
    rules.add("", "Unsqueeze", unsqueezeGradient);
    rules.add("", "Expand", expandGradient);
    rules.add("", "Tile", tileGradient);
    rules.add("", "DepthToSpace", depthToSpaceGradient);
    rules.add("", "SpaceToDepth", spaceToDepthGradient);
    rules.add("", "Trilu", triluGradient);
    rules.add(kMicrosoftDomain, "Trilu", triluGradient);
    rules.add("", "Range", rangeGradient);
    rules.add("", "ReverseSequence", reverseSequenceGradient);
    rules.add("", "Concat", concatGradient);
    rules.add(kMicrosoftDomain, "ConcatTraining", concatTrainingGradient);
    rules.add("", "Split", splitGradient);
    rules.add(kMicrosoftDomain, "SplitTraining", splitGradient);
    rules.add("", "Slice", sliceGradient);
}

}  // namespace temper
