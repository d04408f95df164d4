// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/elementwise/channel_scaling_cpu.h"

#include <optional>

#include "engine/ops/channel_blocks_cpu.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

/// The numbers that the pixels of an image are multiplied with.
enum class Factors { PerSample, PerChannel, PerSampleAndChannel };

std::optional<Factors> factorsOf(const Shape& images, const Shape& factors) {
    const int64_t batch = images[0], channels = images[1];
    if (numElements(factors) == 1) return std::nullopt;
    if (factors == Shape{batch, channels, 1, 1}) return Factors::PerSampleAndChannel;
    if (factors == Shape{1, channels, 1, 1} || factors == Shape{channels, 1, 1})
        return Factors::PerChannel;
    if (factors == Shape{batch, 1, 1, 1}) return Factors::PerSample;
    return std::nullopt;
}

std::unique_ptr<Kernel> blockedScaling(const Shape& images, Factors factors, size_t image) {
    return makeKernel(
        [=, strips = simd::PixelStrips(images)](const RunContext& c) {
            const float *x = c.in<float>(image), *numbers = c.in<float>(1 - image);
            float* y = c.out<float>(0);
            strips.forEach(c.pool(), [&](int64_t n, int64_t block, int64_t at, int64_t pixels) {
                const int64_t first = factors == Factors::PerChannel ? 0 : n * images[1];
                simd::scalePixels(x + at, numbers + first + block * kChannelBlock, y + at, pixels);
                c.finished(at, at + pixels * kChannelBlock);
            });
        },
        {.mayShare = {{image, 0}}}, {.finishesParts = true});
}

}  // namespace

std::unique_ptr<Kernel> makeChannelScaling(const PrepareContext& context) {
    const Shape& images = context.output(0).shape;
    if (!mayBeBlocked(images) || images[2] * images[3] == 1) return nullptr;
    const size_t image = context.input(0).shape == images ? 0 : 1;
    if (context.input(image).shape != images) return nullptr;
    const auto factors = factorsOf(images, context.input(1 - image).shape);
    const auto plan = broadcastPlan<2>(context);
    const auto form = factors ? broadcastForm(context, plan, kMapGrain) : std::nullopt;
    if (!form) return nullptr;
    const auto make = [=, aIsNumber = plan.isNumber(0), bIsNumber = plan.isNumber(1),
                       mayShare = shareable<2>(context)](BlockedOperands blocked) {
        // A sample is the same numbers in any layout.
        if (blocked.isEmpty() || *factors == Factors::PerSample)
            return floatPairRows(*form, simd::multiply, aIsNumber, bIsNumber, mayShare);
        return blockedScaling(images, *factors, image);
    };
    return makeBlockable(context, blockableOf(context, {1U << image, 0b1}), true, make);
}

}  // namespace temper
