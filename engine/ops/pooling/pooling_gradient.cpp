// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/ops/pooling/pooling.h"

namespace temper {
namespace {

constexpr const char* kSizeHint = "Export the model with fixed channels and image sizes.";

/// Channels and image size of a pool's input; the batch is 1 where it is not known.
Shape imageShape(const GradientContext& context) {
    const auto& shape = context.input(0).type().shape;
    Shape result;
    for (size_t i = 0; shape && i < shape->size(); ++i)
        result.push_back((*shape)[i].isNumber() || i > 0 ? (*shape)[i].value : 1);
    if (!result.empty() &&
        std::all_of(result.begin(), result.end(), [](int64_t size) { return size >= 0; })) {
        return result;
    }
    throw Error(ErrorCode::Unsupported,
                "The gradient of " + context.node().describe() +
                    " needs the channels and the size of the images, and they are not known.",
                kSizeHint);
}

std::vector<int64_t> spatialAxes(Var x) {
    std::vector<int64_t> axes(static_cast<size_t>(x.type().rank()) - 2);
    std::iota(axes.begin(), axes.end(), 2);
    return axes;
}

/// The attributes with auto_pad written out.
Attributes explicitPads(const Node& node, const std::vector<WindowAxis>& axes) {
    Attributes attributes = node.attributes();
    attributes.erase("auto_pad");
    attributes.insert_or_assign("pads", padsOf(axes));
    return attributes;
}

std::vector<WindowAxis> axesOf(const WindowAttributes& window, const Shape& image) {
    return windowAxes(window, std::span(image).subspan(2));
}

/// dx = dy at the places of the maxima, 0 elsewhere.
Gradients maxPoolGradient(const GradientContext& context) {
    const Shape image = imageShape(context);
    const auto window = WindowAttributes::of(context.node());
    const Var dx =
        context.emitter().op("MaxPoolGrad", {context.outputGradient(0), context.output(1)},
                             explicitPads(context.node(), axesOf(window, image)));
    dx.value()->setType(context.input(0).type());  // ORT's kernel reads the size of dx from there
    return {dx};
}

/// Adds the output of the places of the maxima, which the gradient reads.
void addMaxPoolMask(Graph& graph, Node* node) {
    if (node->output(1) != nullptr) return;
    node->setAttribute("storage_order", int64_t{0});
    graph.addOutputTo(node, 1, graph.uniqueName(node->output(0)->name() + "_mask"));
}

std::optional<NonDifferentiable> maxPoolCheck(const Node& node) {
    const bool columnMajor = node.attribute<int64_t>("storage_order", 0) != 0;
    if (node.output(1) == nullptr || !columnMajor) return std::nullopt;
    return NonDifferentiable{"its Indices count in column-major order (storage_order 1)",
                             "Export the model with storage_order 0."};
}

/// Spreads each element of `values` over the window it belongs to: a transposed convolution with a
/// kernel of `weight`, one group per channel. Unlike AveragePoolGrad it takes any batch in ORT.
Var spreadOverWindows(Var values, const std::vector<WindowAxis>& axes, int64_t channels,
                      double weight) {
    std::vector<int64_t> kernel, strides, dilations, outputPadding;
    std::vector<WindowAxis> moved = axes;
    for (WindowAxis& axis : moved) {
        const int64_t covered =
            (axis.output - 1) * axis.stride + axis.extent() - axis.padBegin - axis.padEnd;
        axis.padEnd += std::max<int64_t>(covered - axis.input, 0);
        outputPadding.push_back(std::max<int64_t>(axis.input - covered, 0));
        kernel.push_back(axis.kernel);
        strides.push_back(axis.stride);
        dilations.push_back(axis.dilation);
    }
    Shape shape = {channels, 1};
    shape.insert(shape.end(), kernel.begin(), kernel.end());
    Tensor ones(DType::Float64, shape);
    std::ranges::fill(ones.mutableValues<double>(), weight);
    GradientEmitter& emitter = values.emitter();
    return emitter.op("ConvTranspose",
                      {values, emitter.constant(ones.cast(values.dtype()), "window")},
                      {{"dilations", dilations},
                       {"group", channels},
                       {"kernel_shape", kernel},
                       {"output_padding", outputPadding},
                       {"pads", padsOf(moved)},
                       {"strides", strides}});
}

/// ORT's kernel takes the batch from a declared shape, ignores dilations and overwrites where
/// windows of volumes overlap. Source: spec gradients, section 10, 19.
bool ortCanAverage(const GradientContext& context, const PoolAttributes& attributes,
                   const std::vector<WindowAxis>& axes) {
    if (!context.input(0).type().isStatic()) return false;
    if (attributes.countIncludePad && attributes.window.ceilMode) return false;
    return std::all_of(axes.begin(), axes.end(), [&](const WindowAxis& axis) {
        return axis.dilation == 1 && (axes.size() < 3 || axis.kernel <= axis.stride);
    });
}

/// 1 / divisor for each output of an image, [1, 1, outputs...].
Tensor inverseDivisors(const std::vector<int64_t>& divisors, const std::vector<WindowAxis>& axes) {
    Shape shape = {1, 1};
    for (const WindowAxis& axis : axes) shape.push_back(axis.output);
    Tensor inverse(DType::Float64, shape);
    std::ranges::transform(divisors, inverse.mutableValues<double>().begin(),
                           [](int64_t divisor) { return 1.0 / static_cast<double>(divisor); });
    return inverse;
}

/// dx = sum over the windows around an element of dy / (elements of the window).
Gradients averagePoolGradient(const GradientContext& context) {
    const Shape image = imageShape(context);
    const auto attributes = PoolAttributes::of(context.node());
    const auto axes = axesOf(attributes.window, image);
    const Var dy = context.outputGradient(0);
    if (ortCanAverage(context, attributes, axes)) {
        const Var dx =
            context.emitter().op("AveragePoolGrad", {dy}, explicitPads(context.node(), axes));
        dx.value()->setType(context.input(0).type());
        return {dx};
    }
    const auto divisors =
        averageDivisors(PoolGeometry::of(attributes.window, image), attributes.countIncludePad);
    const bool isUniform =
        std::ranges::count(divisors, divisors.front()) == static_cast<int64_t>(divisors.size());
    if (isUniform)
        return {spreadOverWindows(dy, axes, image[1], 1.0 / static_cast<double>(divisors[0]))};
    const Var inverse = context.emitter().constant(inverseDivisors(divisors, axes).cast(dy.dtype()),
                                                   "inverse_count");
    return {spreadOverWindows(dy * inverse, axes, image[1], 1)};
}

/// dx = dy / (elements of the image).
Gradients globalAveragePoolGradient(const GradientContext& context) {
    const Var x = context.input(0), dy = context.outputGradient(0);
    const auto& shape = x.type().shape;
    int64_t count = shape ? 1 : -1;
    for (size_t i = 2; shape && i < shape->size(); ++i)
        count = (*shape)[i].isNumber() && count > 0 ? count * (*shape)[i].value : -1;
    if (count > 0) return {expandLike(dy / static_cast<double>(count), x)};
    const Var size = cast(sizeOf(x), dy.dtype()) / cast(sizeOf(dy), dy.dtype());
    return {expandLike(dy / size, x)};
}

/// Equal maxima share the gradient equally.
Gradients globalMaxPoolGradient(const GradientContext& context) {
    const Var x = context.input(0), dy = context.outputGradient(0);
    const Var isMaximum = cast(equal(x, context.output(0)), x.dtype());
    return {isMaximum * (dy / sum(isMaximum, spatialAxes(x)))};
}

/// x |x|^(p - 2), the derivative of |x|^p / p.
Var powerDerivative(Var x, int64_t p) {
    if (p == 1) return sign(x);
    if (p == 2) return x;
    const Var exponent = x.emitter().number(static_cast<double>(p - 2), x.dtype());
    return x * pow(abs(x), exponent);
}

/// dy y^(1 - p), 0 where y is 0.
Var scaledByNorm(Var y, Var dy, int64_t p) {
    if (p == 1) return dy;
    GradientEmitter& emitter = y.emitter();
    const Var zero = emitter.number(0, y.dtype());
    const Var power = p == 2 ? y : pow(y, emitter.number(static_cast<double>(p - 1), y.dtype()));
    const Var isZero = equal(y, zero);
    return where(isZero, zero, dy / where(isZero, emitter.number(1, y.dtype()), power));
}

/// y = (sum |x|^p)^(1/p)  =>  dx = x |x|^(p-2) * sum over the windows of dy y^(1-p).
Gradients lpPoolGradient(const GradientContext& context) {
    const Shape image = imageShape(context);
    const auto attributes = PoolAttributes::of(context.node());
    const Var scaled = scaledByNorm(context.output(0), context.outputGradient(0), attributes.p);
    const Var spread = spreadOverWindows(scaled, axesOf(attributes.window, image), image[1], 1);
    return {powerDerivative(context.input(0), attributes.p) * spread};
}

Gradients globalLpPoolGradient(const GradientContext& context) {
    const auto p = context.attribute<int64_t>("p", 2);
    return {powerDerivative(context.input(0), p) *
            scaledByNorm(context.output(0), context.outputGradient(0), p)};
}

}  // namespace

void addPoolingGradients(GradientRules& gradients) {
    gradients.add(kOnnxDomain, "MaxPool", maxPoolGradient);
    gradients.addTrainingForm(kOnnxDomain, "MaxPool", addMaxPoolMask);
    gradients.addCheck(kOnnxDomain, "MaxPool", maxPoolCheck);
    gradients.add(kOnnxDomain, "AveragePool", averagePoolGradient);
    gradients.add(kOnnxDomain, "LpPool", lpPoolGradient);
    gradients.add(kOnnxDomain, "GlobalAveragePool", globalAveragePoolGradient);
    gradients.add(kOnnxDomain, "GlobalMaxPool", globalMaxPoolGradient);
    gradients.add(kOnnxDomain, "GlobalLpPool", globalLpPoolGradient);
}

}  // namespace temper
