// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/conv.h"

#include <algorithm>
#include <optional>

#include "engine/core/saturated_cast.h"
#include "engine/ops/conv/winograd/passes_cpu.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;

int64_t groupOf(const Node& node) { return node.attribute<int64_t>("group", 1); }

int64_t at(const Integers& values, size_t i, int64_t fallback) {
    return i < values.size() ? values[i] : fallback;
}

/// Splits the padding that makes Y `wanted` elements long; if there is none to remove, Y gets zeros
/// at its end.
void padTo(WindowAxis& axis, AutoPad autoPad, int64_t wanted, int64_t outputPadding) {
    const int64_t natural = axis.stride * (axis.output - 1) + outputPadding + axis.extent();
    const int64_t total = std::max<int64_t>(natural - wanted, 0);
    axis.padBegin = autoPad == AutoPad::SameUpper ? total / 2 : total - total / 2;
    axis.padEnd = total - axis.padBegin;
    axis.input = wanted;
}

/// Empty if a shape is not known.
std::optional<ConvGeometry> knownGeometry(const Node& node) {
    const bool isGradient = node.opType() == "ConvGrad";
    const auto shapeOf = [&](size_t input) {
        const auto& shape = node.input(isGradient ? input + 1 : input)->type().shape;
        return shape ? concreteShape(*shape) : std::nullopt;
    };
    const auto image = shapeOf(0), weights = shapeOf(1);
    if (!image || !weights) return std::nullopt;
    return node.opType() == "ConvTranspose" ? ConvGeometry::ofTransposed(node, *image, *weights)
                                            : ConvGeometry::of(node, *image, *weights);
}

}  // namespace

NarrowGain convNarrowGain(const Node& node) {
    if (groupOf(node) != 1) return NarrowGain::None;
    const auto geometry = knownGeometry(node);
    return geometry && suitsWinograd(*geometry) ? NarrowGain::Tiles : NarrowGain::All;
}

Shape ConvGeometry::imageShape() const {
    Shape shape = {batch, channels};
    for (const WindowAxis& axis : axes) shape.push_back(axis.input);
    return shape;
}

Shape ConvGeometry::weightShape() const {
    Shape shape = {features, channels / group};
    for (const WindowAxis& axis : axes) shape.push_back(axis.kernel);
    return shape;
}

Shape ConvGeometry::featureShape() const {
    Shape shape = {batch, features};
    for (const WindowAxis& axis : axes) shape.push_back(axis.output);
    return shape;
}

int64_t ConvGeometry::flops() const {
    constexpr double kMax = 0x1p60;  // sums of some such numbers fit into 64 bits
    const int64_t channelsOfGroup = channels / group;
    auto taps = static_cast<double>(channelsOfGroup);
    for (const WindowAxis& axis : axes) taps *= static_cast<double>(axis.kernel);
    const auto elements = static_cast<double>(numElements(featureShape()));
    return saturatedCast<int64_t>(std::min(2 * elements * taps, kMax));
}

WindowAttributes convWindow(const Node& node, const SymbolicShape& weights) {
    WindowAttributes window = WindowAttributes::of(node);
    window.ceilMode = false;
    if (!window.kernel.empty()) return window;
    for (size_t i = 2; i < weights.size(); ++i)
        window.kernel.push_back(std::max<int64_t>(weights[i].value, 1));
    return window;
}

WindowAxis transposedAxis(const Node& node, const WindowAttributes& window, size_t i,
                          int64_t featureSize) {
    WindowAxis axis;
    axis.output = featureSize;
    axis.kernel = at(window.kernel, i, 1);
    axis.stride = at(window.strides, i, 1);
    axis.dilation = at(window.dilations, i, 1);
    const int64_t extra = at(node.attribute<Integers>("output_padding", {}), i, 0);
    const auto outputShape = node.attribute<Integers>("output_shape", {});
    const bool isSame =
        window.autoPad == AutoPad::SameUpper || window.autoPad == AutoPad::SameLower;
    if (!outputShape.empty() || isSame) {
        const size_t last = window.kernel.size() - i;  // output_shape may name batch and channels
        const bool given = outputShape.size() >= last;
        const int64_t wanted =
            given ? outputShape[outputShape.size() - last] : featureSize * axis.stride;
        padTo(axis, window.autoPad, wanted, extra);
        return axis;
    }
    if (window.autoPad == AutoPad::NotSet) {
        axis.padBegin = at(window.pads, i, 0);
        axis.padEnd = at(window.pads, i + window.kernel.size(), 0);
    }
    axis.input =
        axis.stride * (featureSize - 1) + extra + axis.extent() - axis.padBegin - axis.padEnd;
    return axis;
}

ConvGeometry ConvGeometry::of(const Node& node, const Shape& image, const Shape& weights) {
    const WindowAttributes window = convWindow(node, symbolicShape(weights));
    const Shape spatial(image.begin() + 2, image.end());
    return {image.at(0), image.at(1), weights.at(0), groupOf(node), windowAxes(window, spatial)};
}

ConvGeometry ConvGeometry::ofTransposed(const Node& node, const Shape& features,
                                        const Shape& weights) {
    const WindowAttributes window = convWindow(node, symbolicShape(weights));
    ConvGeometry geometry{
        features.at(0), weights.at(1) * groupOf(node), features.at(1), groupOf(node), {}};
    for (size_t i = 2; i < features.size(); ++i)
        geometry.axes.push_back(transposedAxis(node, window, i - 2, features[i]));
    return geometry;
}

void registerConv(OpSet& ops) {
    addConvTypes(ops.catalog);
    addConvGradients(ops.gradients);
    addConvCpuKernels(ops.cpuKernels);
}

}  // namespace temper
