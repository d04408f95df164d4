// SPDX-License-Identifier: Apache-2.0
// Batch normalizations of images in blocks of channels: the sums are those of single channels, bit
// for bit. Each plane of a block is a separate task; its sums are added in the order of the planes.
#include <algorithm>
#include <utility>

#include "engine/ops/channel_blocks_cpu.h"
#include "engine/ops/normalization/batch_norm_kernels.h"
#include "engine/runtime/cpu/scratch_layout.h"

namespace temper {
namespace {

/// Images [batch, blocks, size, kChannelBlock], and the sums of their planes.
struct BlockedImages {
    explicit BlockedImages(const ChannelLayout& images)
        : layout(images), blocks(images.channels / kChannelBlock) {}

    size_t planes() const { return static_cast<size_t>(layout.batch * blocks); }
    static int64_t firstChannel(int64_t block) { return block * kChannelBlock; }
    static int64_t blockOf(size_t channel) { return static_cast<int64_t>(channel) / kChannelBlock; }
    static size_t indexInBlock(size_t channel) {
        return channel % static_cast<size_t>(kChannelBlock);
    }
    size_t indexOf(int64_t n, int64_t block) const {
        return static_cast<size_t>(n * blocks + block);
    }

    /// Calls f(block, index, offset) for each plane.
    template <typename F>
    void forEachPlane(ThreadPool& pool, F&& f) const {
        const int64_t size = layout.size * kChannelBlock;
        pool.forRanges(layout.batch * blocks, taskGrain(size), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) f(i % blocks, static_cast<size_t>(i), i * size);
        });
    }

    /// The sums of a channel over the batch, from those of planes.
    ChannelGradients total(const simd::GradientSums* planes, size_t channel) const {
        const size_t c = indexInBlock(channel);
        ChannelGradients total;
        for (int64_t n = 0; n < layout.batch; ++n) {
            const simd::GradientSums& sums = planes[indexOf(n, blockOf(channel))];
            total.gradients += sums.gradients[c];
            total.products += sums.products[c];
        }
        return total;
    }

    ChannelLayout layout;
    int64_t blocks;
};

/// Applies the form of each channel to the images.
void normalizeBlocks(const RunContext& context, const BlockedImages& images,
                     const simd::Normalization* forms) {
    const float* x = context.in<float>(0);
    const int64_t size = images.layout.size;
    images.forEachPlane(context.pool(), [&](int64_t block, size_t, int64_t offset) {
        simd::normalizePixels(x + offset, context.out<float>(0) + offset, size, forms[block]);
        context.finished(offset, offset + size * kChannelBlock);
    });
}

}  // namespace

std::unique_ptr<Kernel> blockedInferenceKernel(const ChannelLayout& layout, float epsilon) {
    const BlockedImages images(layout);
    ScratchLayout scratch;
    scratch.add(static_cast<size_t>(images.blocks) * sizeof(simd::Normalization));
    auto run = [=](const RunContext& context) {
        auto* forms = reinterpret_cast<simd::Normalization*>(context.scratch());
        for (int64_t channel = 0; channel < images.layout.channels; ++channel) {
            simd::Normalization& form = forms[channel / kChannelBlock];
            const auto c = static_cast<size_t>(channel % kChannelBlock);
            form.mean[c] = context.in<float>(3)[channel];
            form.factor[c] =
                context.in<float>(1)[channel] / std::sqrt(context.in<float>(4)[channel] + epsilon);
            form.bias[c] = context.in<float>(2)[channel];
        }
        normalizeBlocks(context, images, forms);
    };
    return makeKernel(std::move(run), {.scratchBytes = scratch.bytes()}, {.finishesParts = true});
}

std::unique_ptr<Kernel> blockedTrainingKernel(const ChannelLayout& layout,
                                              const StatisticsRule<float>& rule,
                                              const StatisticsExchange& exchange,
                                              KernelTraits traits) {
    const BlockedImages images(layout);
    ScratchLayout scratch;
    const size_t sumBytes = images.planes() * sizeof(simd::ChannelSums);
    const size_t valuesAt = scratch.add(sumBytes), squaresAt = scratch.add(sumBytes);
    const size_t formsAt =
        scratch.add(static_cast<size_t>(images.blocks) * sizeof(simd::Normalization));
    const auto channels = static_cast<size_t>(layout.channels);
    const size_t momentsAt = scratch.add(channels * sizeof(Moments));
    traits.scratchBytes = scratch.bytes();
    auto run = [=](const RunContext& context) {
        const float* x = context.in<float>(0);
        auto* values = reinterpret_cast<simd::ChannelSums*>(context.scratch() + valuesAt);
        auto* squares = reinterpret_cast<simd::ChannelSums*>(context.scratch() + squaresAt);
        auto* forms = reinterpret_cast<simd::Normalization*>(context.scratch() + formsAt);
        const int64_t size = images.layout.size;
        images.forEachPlane(context.pool(), [&](int64_t, size_t plane, int64_t offset) {
            values[plane] = simd::sumsOfPixels(x + offset, size);
            simd::ChannelValues mean;
            for (size_t c = 0; c < mean.size(); ++c)
                mean[c] = PlaneSums{values[plane][c], 0}.mean<float>(size);
            squares[plane] = simd::squaresOfPixels(x + offset, size, mean);
        });
        const std::span moments(reinterpret_cast<Moments*>(context.scratch() + momentsAt),
                                channels);
        for (size_t i = 0; i < channels; ++i) {
            moments[i] = momentsOfPlanes<float>(images.layout, [&](int64_t n) {
                const size_t plane = images.indexOf(n, BlockedImages::blockOf(i));
                const size_t c = BlockedImages::indexInBlock(i);
                return PlaneSums{values[plane][c], squares[plane][c]};
            });
        }
        if (exchange.isNeeded()) exchange.combine(images.layout.elementsPerChannel(), moments);
        for (size_t i = 0; i < channels; ++i) {
            simd::Normalization& form = forms[BlockedImages::blockOf(i)];
            const size_t c = BlockedImages::indexInBlock(i);
            form.mean[c] = static_cast<float>(moments[i].mean);
            const float inverse = rule.apply(context, static_cast<int64_t>(i), form.mean[c],
                                             static_cast<float>(moments[i].variance));
            form.factor[c] = context.in<float>(1)[i] * inverse;
            form.bias[c] = context.in<float>(2)[i];
        }
        normalizeBlocks(context, images, forms);
    };
    return makeKernel(std::move(run), std::move(traits), {.finishesParts = true});
}

std::unique_ptr<Kernel> blockedGradientKernel(const ChannelLayout& layout,
                                              const StatisticsExchange& exchange) {
    const BlockedImages images(layout);
    const auto channels = static_cast<size_t>(layout.channels);
    ScratchLayout scratch;
    const size_t planeBytes = images.planes() * sizeof(simd::GradientSums);
    const size_t planesAt = scratch.add(planeBytes);
    const size_t sumsAt = scratch.add(channels * sizeof(ChannelGradients));
    const size_t formsAt =
        scratch.add(static_cast<size_t>(images.blocks) * sizeof(simd::NormalizationGradient));
    auto run = [=](const RunContext& context) {
        const float *dy = context.in<float>(0), *x = context.in<float>(1);
        const int64_t size = images.layout.size;
        auto* planes = reinterpret_cast<simd::GradientSums*>(context.scratch() + planesAt);
        auto* forms = reinterpret_cast<simd::NormalizationGradient*>(context.scratch() + formsAt);
        const std::span sums(reinterpret_cast<ChannelGradients*>(context.scratch() + sumsAt),
                             channels);
        images.forEachPlane(context.pool(), [&](int64_t block, size_t plane, int64_t offset) {
            simd::ChannelValues mean;
            std::copy_n(context.in<float>(3) + BlockedImages::firstChannel(block), kChannelBlock,
                        mean.begin());
            planes[plane] = simd::gradientSumsOfPixels(dy + offset, x + offset, size, mean);
        });
        for (size_t i = 0; i < channels; ++i) {
            sums[i] = images.total(planes, i);
            writeParameterGradients<float>(context, static_cast<int64_t>(i), sums[i]);
        }
        if (exchange.isNeeded()) exchange.combine(images.layout.elementsPerChannel(), sums);
        for (size_t i = 0; i < channels; ++i) {
            const auto form = GradientForm<float>::of(context, static_cast<int64_t>(i), sums[i],
                                                      images.layout.elementsPerChannel());
            simd::NormalizationGradient& block = forms[BlockedImages::blockOf(i)];
            const size_t c = BlockedImages::indexInBlock(i);
            block.mean[c] = form.mean;
            block.factor[c] = form.factor;
            block.shift[c] = form.shift;
            block.slope[c] = form.slope;
        }
        images.forEachPlane(context.pool(), [&](int64_t block, size_t, int64_t offset) {
            simd::normalizeGradients(dy + offset, x + offset, context.out<float>(0) + offset, size,
                                     forms[block]);
            context.finished(offset, offset + size * kChannelBlock);
        });
    };
    return makeKernel(std::move(run), {.mayShare = {{0, 0}}, .scratchBytes = scratch.bytes()},
                      {.finishesParts = true});
}

}  // namespace temper
