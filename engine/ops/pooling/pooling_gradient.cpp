// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/pooling/pooling.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

constexpr const char* kSizeHint = "Export the model with fixed channels and image sizes.";

/// Channels and image size of a pool's input; the batch is 1 if it is unknown.
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
                    " needs the channels and the size of the images, which are unknown.",
                kSizeHint);
}

std::vector<int64_t> spatialAxes(Var x) {
    std::vector<int64_t> axes(static_cast<size_t>(x.rank()) - 2);
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

/// Whether channels and image size are numbers.
bool hasKnownImages(const GradientContext& context) {
    const auto& shape = context.input(0).type().shape;
    return shape && std::all_of(shape->begin() + 1, shape->end(),
                                [](const Dim& dim) { return dim.isNumber(); });
}

/// Places that count the first dimension of an image fastest, as places that count the last one.
Var rowMajor(Var places, std::span<const int64_t> spatial) {
    GradientEmitter& emitter = places.emitter();
    const Var plane = emitter.integers({numElements(spatial)});
    const Var image = places / plane;
    Var rest = places - image * plane;
    Var place = image;
    for (const int64_t size : spatial) {
        const Var count = emitter.integers({size});
        const Var quotient = rest / count;
        place = place * count + (rest - quotient * count);
        rest = quotient;
    }
    return place;
}

/// dx = dy at the places of the maxima, 0 elsewhere.
Gradients maxPoolGradient(const GradientContext& context) {
    const Var x = context.input(0), dy = context.outputGradient(0);
    const bool isColumnMajor = context.attribute<int64_t>("storage_order", 0) != 0;
    if (!hasKnownImages(context) && !isColumnMajor) {
        const Var flat =
            context.emitter().msOp("GatherGrad", {unsqueeze(sizeOf(x), {0}), context.output(1), dy},
                                   {{"axis", int64_t{0}}});
        return {reshape(flat, shapeOf(x))};
    }
    const Shape image = imageShape(context);
    const auto window = WindowAttributes::of(context.node());
    const Var places = isColumnMajor ? rowMajor(context.output(1), std::span(image).subspan(2))
                                     : context.output(1);
    Attributes attributes = explicitPads(context.node(), axesOf(window, image));
    attributes.insert_or_assign("storage_order", int64_t{0});
    const Var dx = context.emitter().op("MaxPoolGrad", {dy, places}, attributes);
    dx.value()->setType(x.type());  // ORT's kernel reads the size of dx from there
    return {dx};
}

/// Adds the output of the places of the maxima, which the gradient reads.
void addMaxPoolMask(Graph& graph, Node* node) {
    if (node->output(1) != nullptr) return;
    node->setAttribute("storage_order", int64_t{0});
    graph.addOutputTo(node, 1, graph.uniqueName(node->output(0)->name() + "_mask"));
}

/// A kernel of `weight` for each channel.
Var windowOf(Var like, int64_t channels, const std::vector<int64_t>& kernel, double weight) {
    Shape shape = {channels, 1};
    shape.insert(shape.end(), kernel.begin(), kernel.end());
    Tensor weights(DType::Float64, shape);
    std::ranges::fill(weights.mutableValues<double>(), weight);
    return like.emitter().constant(weights.cast(like.dtype()), "window");
}

/// Spreads each element of `values` over the window that it belongs to: a transposed convolution
/// with a kernel of `weight`, one group per channel. Unlike AveragePoolGrad it takes any batch in
/// ORT.
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
    GradientEmitter& emitter = values.emitter();
    return emitter.op("ConvTranspose", {values, windowOf(values, channels, kernel, weight)},
                      {{"dilations", dilations},
                       {"group", channels},
                       {"kernel_shape", kernel},
                       {"output_padding", outputPadding},
                       {"pads", padsOf(moved)},
                       {"strides", strides}});
}

/// The same for images whose size is known when the model runs: as the gradient of a convolution,
/// each channel a separate image.
class OpenWindows {
public:
    /// Throws: Error(Unsupported) if the windows depend on the size of the images.
    explicit OpenWindows(const GradientContext& context)
        : context_(context), window_(WindowAttributes::of(context.node())) {
        const bool follows = window_.autoPad == AutoPad::SameUpper ||
                             window_.autoPad == AutoPad::SameLower || window_.ceilMode;
        if (follows || !context.input(0).type().shape) static_cast<void>(imageShape(context));
        for (const int64_t size : window_.kernel) taps_ *= static_cast<double>(size);
    }

    bool hasPads() const {
        return window_.autoPad == AutoPad::NotSet &&
               std::ranges::any_of(window_.pads, [](int64_t pad) { return pad != 0; });
    }
    double taps() const { return taps_; }

    Var spread(Var values, double weight) const {
        Attributes attributes = {{"kernel_shape", window_.kernel}};
        if (!window_.strides.empty()) attributes["strides"] = window_.strides;
        if (!window_.dilations.empty()) attributes["dilations"] = window_.dilations;
        if (hasPads()) attributes["pads"] = window_.pads;
        const Var x = context_.input(0);
        const Var gradient =
            context_.emitter()
                .add(kMicrosoftDomain, "ConvGrad",
                     {planesOf(values), planesOf(x), windowOf(x, 1, window_.kernel, weight)},
                     attributes)
                .front();
        return reshape(gradient, shapeOf(x));
    }

    /// Elements of each window that are inside the image.
    Var counts() const {
        const Var ones = zerosLike(context_.input(0)) + 1.0;
        Attributes attributes = context_.node().attributes();
        attributes.insert_or_assign("count_include_pad", int64_t{1});
        return context_.emitter().op("AveragePool", {ones}, attributes) * taps_;
    }

private:
    /// [N, C, ...] as [N * C, 1, ...].
    static Var planesOf(Var x) {
        GradientEmitter& emitter = x.emitter();
        const Var sizes = emitter.op("Gather", {shapeOf(x), emitter.integers(spatialAxes(x))});
        return reshape(x, concat({emitter.integers({-1, 1}), sizes}, 0));
    }

    const GradientContext& context_;
    WindowAttributes window_;
    double taps_ = 1;
};

Gradients averageOfOpenImages(const GradientContext& context) {
    const OpenWindows windows(context);
    const Var dy = context.outputGradient(0);
    const bool countsPads = context.attribute<int64_t>("count_include_pad", 0) != 0;
    if (countsPads || !windows.hasPads()) return {windows.spread(dy, 1 / windows.taps())};
    return {windows.spread(dy / windows.counts(), 1)};
}

/// ORT's kernel takes the batch from a declared shape, ignores dilations and overwrites elements if
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
    if (!hasKnownImages(context)) return averageOfOpenImages(context);
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
    if (!dy) return {};
    const auto& shape = x.type().shape;
    int64_t count = shape ? 1 : -1;
    for (size_t i = 2; shape && i < shape->size(); ++i)
        count = (*shape)[i].isNumber() && count > 0 ? productOf((*shape)[i], count).value : -1;
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
    const auto attributes = PoolAttributes::of(context.node());
    const Var scaled = scaledByNorm(context.output(0), context.outputGradient(0), attributes.p);
    const auto spreadOverKnown = [&] {
        const Shape image = imageShape(context);
        return spreadOverWindows(scaled, axesOf(attributes.window, image), image[1], 1);
    };
    const Var spread =
        hasKnownImages(context) ? spreadOverKnown() : OpenWindows(context).spread(scaled, 1);
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
    gradients.add(kOnnxDomain, "AveragePool", averagePoolGradient);
    gradients.add(kOnnxDomain, "LpPool", lpPoolGradient);
    gradients.add(kOnnxDomain, "GlobalAveragePool", globalAveragePoolGradient);
    gradients.add(kOnnxDomain, "GlobalMaxPool", globalMaxPoolGradient);
    gradients.add(kOnnxDomain, "GlobalLpPool", globalLpPoolGradient);
}

}  // namespace temper
