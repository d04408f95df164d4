// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "engine/ops/conv/conv.h"

namespace temper {

/// Calls f(imageIndex, weightIndex, featureIndex) for every product of a convolution with at most
/// three spatial dimensions. The plain definition: for double precision and for forms that oneDNN
/// does not know.
template <typename F>
void forEachConvProduct(const ConvGeometry& g, F&& f) {
    std::array<WindowAxis, 3> axes;
    std::copy(g.axes.begin(), g.axes.end(), axes.end() - static_cast<int64_t>(g.axes.size()));
    const auto& [depth, height, width] = axes;
    const int64_t channels = g.channels / g.group, features = g.features / g.group;
    int64_t feature = 0;
    for (int64_t n = 0; n < g.batch; ++n) {
        for (int64_t m = 0; m < g.features; ++m) {
            const int64_t firstChannel = n * g.channels + m / features * channels;
            for (int64_t od = 0; od < depth.output; ++od) {
                for (int64_t oh = 0; oh < height.output; ++oh) {
                    for (int64_t ow = 0; ow < width.output; ++ow, ++feature) {
                        int64_t weight = m * channels * depth.kernel * height.kernel * width.kernel;
                        for (int64_t c = 0; c < channels; ++c) {
                            for (int64_t kd = 0; kd < depth.kernel; ++kd) {
                                for (int64_t kh = 0; kh < height.kernel; ++kh) {
                                    for (int64_t kw = 0; kw < width.kernel; ++kw, ++weight) {
                                        const int64_t d = depth.start(od) + kd * depth.dilation;
                                        const int64_t h = height.start(oh) + kh * height.dilation;
                                        const int64_t w = width.start(ow) + kw * width.dilation;
                                        if (d < 0 || d >= depth.input || h < 0 ||
                                            h >= height.input || w < 0 || w >= width.input) {
                                            continue;
                                        }
                                        const int64_t row =
                                            ((firstChannel + c) * depth.input + d) * height.input +
                                            h;
                                        f(row * width.input + w, weight, feature);
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

template <typename T>
void convForwardDirect(const ConvGeometry& g, const T* image, const T* weights, T* features) {
    std::fill_n(features, numElements(g.featureShape()), T{});
    forEachConvProduct(
        g, [&](int64_t i, int64_t w, int64_t f) { features[f] += image[i] * weights[w]; });
}

template <typename T>
void convBackwardDataDirect(const ConvGeometry& g, const T* features, const T* weights, T* image) {
    std::fill_n(image, numElements(g.imageShape()), T{});
    forEachConvProduct(
        g, [&](int64_t i, int64_t w, int64_t f) { image[i] += features[f] * weights[w]; });
}

template <typename T>
void convBackwardWeightsDirect(const ConvGeometry& g, const T* image, const T* features,
                               T* weights) {
    std::fill_n(weights, numElements(g.weightShape()), T{});
    forEachConvProduct(
        g, [&](int64_t i, int64_t w, int64_t f) { weights[w] += image[i] * features[f]; });
}

}  // namespace temper
