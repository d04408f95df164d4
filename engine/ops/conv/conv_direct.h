// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "engine/core/thread_pool.h"
#include "engine/ops/conv/conv.h"

namespace temper {

/// The outputs [begin, end) whose tap `k` is inside the input.
struct InsideRange {
    int64_t begin = 0;
    int64_t end = 0;

    static InsideRange of(const WindowAxis& axis, int64_t k) {
        const int64_t first = axis.start(0) + k * axis.dilation;  // of output 0
        const auto roundedUp = [&](int64_t x) { return (x + axis.stride - 1) / axis.stride; };
        const int64_t begin = first < 0 ? std::min(roundedUp(-first), axis.output) : 0;
        const int64_t end = first < axis.input ? roundedUp(axis.input - first) : 0;
        return {begin, std::clamp(end, begin, axis.output)};
    }
};

/// A convolution with at most three spatial dimensions, computed by definition: for double
/// precision and for forms that oneDNN does not support.
class DirectConv {
public:
    explicit DirectConv(const ConvGeometry& geometry) : g_(geometry) {
        std::copy(g_.axes.begin(), g_.axes.end(),
                  axes_.end() - static_cast<int64_t>(g_.axes.size()));
    }

    /// Calls f(image, imageStep, weight, feature, count) for every run of products along the
    /// innermost dimension that share a weight: of image[image + i * imageStep], weights[weight]
    /// and features[feature + i]. `plane` counts the pairs of sample and feature map; a feature
    /// sees its taps in ascending order.
    template <typename F>
    void forEachRun(int64_t plane, F&& f) const {
        const auto& [depth, height, width] = axes_;
        const int64_t channels = g_.channels / g_.group;
        const int64_t map = plane % g_.features;
        const int64_t firstChannel =
            plane / g_.features * g_.channels + map / (g_.features / g_.group) * channels;
        int64_t weight = map * channels * depth.kernel * height.kernel * width.kernel;
        for (int64_t c = firstChannel; c < firstChannel + channels; ++c) {
            for (int64_t kd = 0; kd < depth.kernel; ++kd) {
                for (int64_t kh = 0; kh < height.kernel; ++kh) {
                    for (int64_t kw = 0; kw < width.kernel; ++kw, ++weight) {
                        forEachRunOfTap(plane, c, {kd, kh, kw}, weight, f);
                    }
                }
            }
        }
    }
    int64_t planes() const { return g_.batch * g_.features; }
    const ConvGeometry& geometry() const { return g_; }

private:
    template <typename F>
    void forEachRunOfTap(int64_t plane, int64_t channel, const std::array<int64_t, 3>& tap,
                         int64_t weight, F&& f) const {
        const auto& [depth, height, width] = axes_;
        const InsideRange d = InsideRange::of(depth, tap[0]);
        const InsideRange h = InsideRange::of(height, tap[1]);
        const InsideRange w = InsideRange::of(width, tap[2]);
        if (w.begin >= w.end) return;
        const int64_t column = width.start(w.begin) + tap[2] * width.dilation;
        for (int64_t od = d.begin; od < d.end; ++od) {
            const int64_t slice = channel * depth.input + depth.start(od) + tap[0] * depth.dilation;
            for (int64_t oh = h.begin; oh < h.end; ++oh) {
                const int64_t row =
                    slice * height.input + height.start(oh) + tap[1] * height.dilation;
                const int64_t feature = (plane * depth.output + od) * height.output + oh;
                f(row * width.input + column, width.stride, weight,
                  feature * width.output + w.begin, w.end - w.begin);
            }
        }
    }

    ConvGeometry g_;
    std::array<WindowAxis, 3> axes_;
};

template <typename T>
void convForwardDirect(const DirectConv& conv, ThreadPool& pool, const T* image, const T* weights,
                       T* features) {
    std::fill_n(features, numElements(conv.geometry().featureShape()), T{});
    pool.forEach(conv.planes(), [&](int64_t plane) {
        conv.forEachRun(plane, [&](int64_t i, int64_t step, int64_t w, int64_t f, int64_t count) {
            const T factor = weights[w];
            for (int64_t k = 0; k < count; ++k) features[f + k] += image[i + k * step] * factor;
        });
    });
}

template <typename T>
void convBackwardDataDirect(const DirectConv& conv, const T* features, const T* weights, T* image) {
    std::fill_n(image, numElements(conv.geometry().imageShape()), T{});
    for (int64_t plane = 0; plane < conv.planes(); ++plane) {
        conv.forEachRun(plane, [&](int64_t i, int64_t step, int64_t w, int64_t f, int64_t count) {
            const T factor = weights[w];
            for (int64_t k = 0; k < count; ++k) image[i + k * step] += features[f + k] * factor;
        });
    }
}

template <typename T>
void convBackwardWeightsDirect(const DirectConv& conv, const T* image, const T* features,
                               T* weights) {
    std::fill_n(weights, numElements(conv.geometry().weightShape()), T{});
    for (int64_t plane = 0; plane < conv.planes(); ++plane) {
        conv.forEachRun(plane, [&](int64_t i, int64_t step, int64_t w, int64_t f, int64_t count) {
            T sum{};
            for (int64_t k = 0; k < count; ++k) sum += image[i + k * step] * features[f + k];
            weights[w] += sum;
        });
    }
}

}  // namespace temper
