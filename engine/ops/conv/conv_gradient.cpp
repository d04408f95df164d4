// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/ops/conv/conv.h"

namespace temper {
namespace {

std::vector<int64_t> list(const std::vector<WindowAxis>& axes, int64_t WindowAxis::*member) {
    std::vector<int64_t> values;
    for (const WindowAxis& axis : axes) values.push_back(axis.*member);
    return values;
}

/// ORT's gradient kernels do not resolve auto_pad: pads are always written out.
Attributes explicitAttributes(const GradientContext& context, const std::vector<WindowAxis>& axes) {
    return {{"dilations", list(axes, &WindowAxis::dilation)},
            {"group", context.attribute<int64_t>("group", 1)},
            {"kernel_shape", list(axes, &WindowAxis::kernel)},
            {"pads", padsOf(axes)},
            {"strides", list(axes, &WindowAxis::stride)}};
}

[[noreturn]] void failUnknown(const GradientContext& context, const std::string& what) {
    throw Error(
        ErrorCode::Unsupported,
        "The gradient of " + context.node().describe() + " needs " + what + ", which is unknown.",
        "Export the model with fixed image sizes, or with explicit pads.");
}

/// Sizes along the spatial dimensions; if the pads do not depend on them, 1 stands for unknown
/// ones.
Shape spatialSizes(const GradientContext& context, bool padsDependOnThem) {
    const auto& shape = context.input(0).type().shape;
    if (!shape || !context.input(1).type().shape) failUnknown(context, "the rank of its inputs");
    Shape sizes;
    for (size_t i = 2; i < shape->size(); ++i) {
        const Dim& dim = (*shape)[i];
        if (!dim.isNumber() && padsDependOnThem) failUnknown(context, "the size of the images");
        sizes.push_back(dim.isNumber() ? dim.value : 1);
    }
    return sizes;
}

WindowAttributes windowOf(const GradientContext& context) {
    const auto& weights = context.input(1).type().shape;
    if (!weights) failUnknown(context, "the shape of the weights");
    WindowAttributes window = convWindow(context.node(), *weights);
    const bool given = context.node().hasAttribute("kernel_shape");
    for (size_t i = 2; i < weights->size() && !given; ++i) {
        if (!(*weights)[i].isNumber()) failUnknown(context, "the size of the kernel");
    }
    return window;
}

bool padsFollowFromSizes(const WindowAttributes& window) {
    return window.autoPad == AutoPad::SameUpper || window.autoPad == AutoPad::SameLower;
}

/// y = conv(x, w) + b: dx is a transposed convolution of dy with w, dw the correlation of x with
/// dy, db the sum of dy.
Gradients convGradient(const GradientContext& context) {
    const WindowAttributes window = windowOf(context);
    const auto axes = windowAxes(window, spatialSizes(context, padsFollowFromSizes(window)));
    std::vector<bool> wanted;
    for (size_t i = 0; i < 3; ++i) wanted.push_back(context.needs(i));
    while (!wanted.back()) wanted.pop_back();
    return context.emitter().add(kMicrosoftDomain, "ConvGrad",
                                 {context.outputGradient(0), context.input(0), context.input(1)},
                                 explicitAttributes(context, axes), wanted);
}

std::vector<WindowAxis> transposedAxes(const GradientContext& context) {
    const WindowAttributes window = windowOf(context);
    const bool sized = padsFollowFromSizes(window) || context.node().hasAttribute("output_shape");
    std::vector<WindowAxis> axes;
    for (const int64_t size : spatialSizes(context, sized))
        axes.push_back(transposedAxis(context.node(), window, axes.size(), size));
    return axes;
}

/// A convolution of dy must give back the input's size. Rows of dy that come from an output padding
/// of a stride or more do not depend on the input and are left out.
Var withoutExcess(Var dy, std::vector<WindowAxis>& axes) {
    std::vector<int64_t> pads(2 * (axes.size() + 2), 0);
    bool cuts = false;
    for (size_t i = 0; i < axes.size(); ++i) {
        WindowAxis& axis = axes[i];
        const int64_t free = axis.input + axis.padBegin + axis.padEnd - axis.extent();
        const int64_t excess = free - (axis.output - 1) * axis.stride;
        if (excess < axis.stride) continue;
        const int64_t fromPad = std::min(axis.padEnd, excess);
        axis.padEnd -= fromPad;
        axis.input -= excess - fromPad;
        pads[axes.size() + 4 + i] = fromPad - excess;
        cuts = cuts || fromPad < excess;
    }
    if (!cuts) return dy;
    GradientEmitter& emitter = dy.emitter();
    if (emitter.opset() < 11) return emitter.op("Pad", {dy}, {{"pads", pads}});
    return emitter.op("Pad", {dy, emitter.integers(pads)});
}

std::vector<int64_t> allAxesButChannels(int64_t rank) {
    std::vector<int64_t> axes = {0};
    for (int64_t axis = 2; axis < rank; ++axis) axes.push_back(axis);
    return axes;
}

/// Image and features have exchanged their roles in Conv: x is the convolution's output.
/// Source: spec gradients 13.3; ORT has no kernel for a ConvTransposeGrad.
Gradients convTransposeGradient(const GradientContext& context) {
    auto axes = transposedAxes(context);
    const Var x = context.input(0), w = context.input(1);
    const Var whole = context.outputGradient(0), dy = withoutExcess(whole, axes);
    const Attributes attributes = explicitAttributes(context, axes);
    Gradients gradients(3);
    if (context.needs(0)) gradients[0] = context.emitter().op("Conv", {dy, w}, attributes);
    if (context.needs(1)) {
        gradients[1] = context.emitter()
                           .add(kMicrosoftDomain, "ConvGrad", {x, dy, w}, attributes, {false, true})
                           .at(1);
    }
    if (context.needs(2)) gradients[2] = sum(whole, allAxesButChannels(x.rank()), false);
    return gradients;
}

}  // namespace

void addConvGradients(GradientRules& gradients) {
    gradients.add(kOnnxDomain, "Conv", convGradient);
    gradients.add(kOnnxDomain, "ConvTranspose", convTransposeGradient);
}

}  // namespace temper
