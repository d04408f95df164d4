// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/core/checked.h"
#include "engine/ops/rearranging/rearranging.h"
#include "engine/ops/rearranging/rearranging_forms.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

[[noreturn]] void failUnknown(const GradientContext& node, const std::string& what,
                              const std::string& hint) {
    throw Error(
        ErrorCode::Unsupported,
        "The gradient of " + node.node().describe() + " needs " + what + ", which is unknown.",
        hint);
}

/// The sizes that the attributes of MaxUnpool give, computed from the input's shape.
Var unpooledSizes(const GradientContext& node, const std::vector<int64_t>& axes) {
    GradientEmitter& emitter = node.emitter();
    const SymbolicShape one(axes.size(), Dim::of(1)), two(axes.size(), Dim::of(2));
    const SymbolicShape first = unpooledSpatial(node.node(), one);
    const SymbolicShape second = unpooledSpatial(node.node(), two);
    std::vector<int64_t> steps, starts;
    for (size_t i = 0; i < axes.size(); ++i) {
        steps.push_back(second[i].value - first[i].value);
        starts.push_back(first[i].value - steps.back());
    }
    const Var sizes = emitter.op("Gather", {shapeOf(node.input(0)), emitter.integers(axes)});
    return sizes * emitter.integers(steps) + emitter.integers(starts);
}

/// The part of MaxUnpool's output in which the indices count: all of it, or its corner if an input
/// requests a larger one.
Var unpooledCorner(const GradientContext& node) {
    const Var dy = node.outputGradient(0);
    if (!node.hasInput(2)) return dy;
    if (dy.type().rank() < 0)
        failUnknown(node, "the rank of its output", "Export it with known ranks.");
    if (node.opset() < 10)
        failUnknown(node, "Slice of opset 10", "Export the model with opset 10 or later.");
    std::vector<int64_t> axes;
    for (int64_t axis = 2; axis < dy.rank(); ++axis) axes.push_back(axis);
    GradientEmitter& emitter = node.emitter();
    const std::vector<int64_t> zeros(axes.size(), 0);
    return emitter.op(
        "Slice", {dy, emitter.integers(zeros), unpooledSizes(node, axes), emitter.integers(axes)});
}

/// y is x at the indices and 0 elsewhere  =>  dx = dy at the indices
Gradients maxUnpoolGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var flat = reshape(unpooledCorner(node), emitter.integers({-1}));
    return {emitter.op("Gather", {flat, node.input(1)}, {{"axis", int64_t{0}}})};
}

/// y adds up blocks  =>  dx takes the blocks out of dy, with 0 from the padding
Gradients col2ImGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const auto image = knownIntegers(node.input(1)), block = knownIntegers(node.input(2));
    if (!image || !block)
        failUnknown(node, "the image's and the block's shape", "Make them initializers.");
    std::vector<int64_t> sources = columnSources(columnBlocks(node.node(), *image, *block));
    int64_t size = 1;
    for (const int64_t dim : *image) size = checkedProduct(size, dim);
    Var planes = reshape(node.outputGradient(0), emitter.integers({0, 0, -1}));
    if (std::ranges::count(sources, -1) > 0)
        planes = emitter.op("Pad", {planes, emitter.integers({0, 0, 0, 0, 0, 1})});
    std::ranges::replace(sources, int64_t{-1}, size);
    const Var columns =
        emitter.op("Gather", {planes, emitter.integers(sources)}, {{"axis", int64_t{2}}});
    return {reshapeBack(columns, node.input(0))};
}

/// Pads what CenterCropPad removed, and removes what it added.
Var withoutMargins(Var dy, const Shape& input, const Shape& output) {
    std::vector<int64_t> begins, ends;
    for (size_t axis = 0; axis < input.size(); ++axis) {
        const CenterMargins margins = CenterMargins::of(input[axis], output[axis]);
        begins.push_back(-margins.begin);
        ends.push_back(-margins.end);
    }
    begins.insert(begins.end(), ends.begin(), ends.end());
    return dy.emitter().op("Pad", {dy, dy.emitter().integers(begins)});
}

/// The sizes along the axes that are cropped or padded; others stay as they are, so that it does
/// not matter which number stands for them.
std::optional<Shape> marginSizes(const std::optional<SymbolicShape>& shape,
                                 const std::vector<int64_t>& axes) {
    if (!shape) return std::nullopt;
    Shape sizes(shape->size(), 0);
    for (const int64_t axis : axes) {
        const Dim& dim = (*shape)[static_cast<size_t>(axis)];
        if (!dim.isNumber()) return std::nullopt;
        sizes[static_cast<size_t>(axis)] = dim.value;
    }
    return sizes;
}

Gradients centerCropPadGradient(const GradientContext& node) {
    GradientEmitter& emitter = node.emitter();
    const Var x = node.input(0), dy = node.outputGradient(0);
    if (!x.type().shape) failUnknown(node, "the rank of its input", "Export it with known ranks.");
    const std::vector<int64_t> axes = centeredAxes(node.node(), x.shape().size());
    const auto input = marginSizes(x.type().shape, axes);
    const auto output = marginSizes(node.output(0).type().shape, axes);
    if (input && output) return {withoutMargins(dy, *input, *output)};
    const Var sizes = emitter.op("Gather", {shapeOf(x), emitter.integers(axes)});
    return {emitter.op("CenterCropPad", {dy, sizes}, {{"axes", axes}})};
}

}  // namespace

void addRearrangingGradients(GradientRules& rules) {
    rules.add("", "MaxUnpool", maxUnpoolGradient);
    rules.add("", "Col2Im", col2ImGradient);
    rules.add("", "CenterCropPad", centerCropPadGradient);
}

}  // namespace temper
