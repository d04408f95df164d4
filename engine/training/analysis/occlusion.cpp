// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/occlusion.h"

#include <algorithm>

namespace temper {
namespace {

/// The memory layout of a picture's pixels: element (c, y, x) is at c * plane + (y * width + x) *
/// step.
struct PixelPlan {
    int64_t channels = 1;
    int64_t height = 1;
    int64_t width = 1;
    int64_t plane = 0;
    int64_t step = 1;

    PixelPlan(const Shape& shape, bool channelsLast) {
        TEMPER_ASSERT(shape.size() == 3 || shape.size() == 4, "the input is a picture");
        const bool isGrey = shape.size() == 3;
        const size_t first = isGrey || channelsLast ? 1 : 2;
        height = shape[first];
        width = shape[first + 1];
        if (!isGrey) channels = channelsLast ? shape[3] : shape[1];
        plane = channelsLast ? 1 : height * width;
        step = channelsLast ? channels : 1;
    }
    size_t at(int64_t c, int64_t y, int64_t x) const {
        return static_cast<size_t>(c * plane + (y * width + x) * step);
    }
};

std::vector<float> meanColour(std::span<const float> values, const PixelPlan& plan) {
    std::vector<float> means;
    for (int64_t c = 0; c < plan.channels; ++c) {
        double sum = 0;
        for (int64_t i = 0; i < plan.height * plan.width; ++i) sum += values[plan.at(c, 0, i)];
        means.push_back(static_cast<float>(sum / static_cast<double>(plan.height * plan.width)));
    }
    return means;
}

}  // namespace

Tensor occlusionMap(Predictor& predictor, std::span<const Tensor> inputs, size_t index,
                    int64_t output, const OcclusionOptions& options) {
    const PixelPlan plan(inputs[index].shape(), options.channelsLast);
    const int64_t patch = options.patch > 0
                              ? options.patch
                              : std::max<int64_t>(2, std::min(plan.height, plan.width) / 4);
    const int64_t stride = options.stride > 0 ? options.stride : std::max<int64_t>(1, patch / 2);
    const auto score = [&](std::span<const Tensor> fed) {
        return predictor.probabilities(fed).values<float>()[static_cast<size_t>(output)];
    };
    const float whole = score(inputs);
    const std::vector<float> cover = meanColour(inputs[index].values<float>(), plan);
    std::vector<Tensor> fed(inputs.begin(), inputs.end());
    Tensor map(DType::Float32, {plan.height, plan.width});
    std::vector<float> covers(static_cast<size_t>(plan.height * plan.width), 0);
    for (int64_t top = std::min<int64_t>(0, stride - patch); top < plan.height; top += stride) {
        for (int64_t left = std::min<int64_t>(0, stride - patch); left < plan.width;
             left += stride) {
            if (options.cancelled && options.cancelled()) return map;
            fed[index] = inputs[index].clone();
            const auto forEachPixel = [&](auto&& action) {
                for (int64_t y = std::max<int64_t>(top, 0); y < std::min(top + patch, plan.height);
                     ++y) {
                    for (int64_t x = std::max<int64_t>(left, 0);
                         x < std::min(left + patch, plan.width); ++x)
                        action(y, x);
                }
            };
            const std::span<float> pixels = fed[index].mutableValues<float>();
            forEachPixel([&](int64_t y, int64_t x) {
                for (int64_t c = 0; c < plan.channels; ++c)
                    pixels[plan.at(c, y, x)] = cover[static_cast<size_t>(c)];
            });
            const float drop = whole - score(fed);
            forEachPixel([&](int64_t y, int64_t x) {
                const auto pixel = static_cast<size_t>(y * plan.width + x);
                map.mutableValues<float>()[pixel] += drop;
                covers[pixel] += 1;
            });
        }
    }
    for (size_t i = 0; i < covers.size(); ++i) {
        map.mutableValues<float>()[i] /= std::max(covers[i], 1.0F);
    }
    return map;
}

}  // namespace temper
