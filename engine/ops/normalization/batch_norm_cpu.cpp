// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "engine/ops/channel_blocks_cpu.h"
#include "engine/ops/normalization/norm_kernels.h"
#include "engine/ops/normalization/normalization.h"
#include "engine/runtime/cpu/scratch_layout.h"
#include "engine/runtime/cpu/sums.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

/// Images [batch, channels, size].
struct ChannelLayout {
    int64_t batch = 0;
    int64_t channels = 1;
    int64_t size = 1;

    static ChannelLayout of(const Shape& shape) {
        ChannelLayout layout;
        layout.batch = shape.at(0);
        if (shape.size() > 1) layout.channels = shape[1];
        for (size_t i = 2; i < shape.size(); ++i) layout.size *= shape[i];
        return layout;
    }
    int64_t elementsPerChannel() const { return batch * size; }
    int64_t plane(int64_t n, int64_t channel) const { return (n * channels + channel) * size; }

    /// Calls f(offset of the plane) for each image.
    template <typename F>
    void forEachPlane(int64_t channel, F&& f) const {
        for (int64_t n = 0; n < batch; ++n) f(plane(n, channel));
    }
    template <typename F>
    void forEachChannel(ThreadPool& pool, F&& f) const {
        pool.forRanges(channels, taskGrain(elementsPerChannel()), [&](int64_t begin, int64_t end) {
            for (int64_t channel = begin; channel < end; ++channel) f(channel);
        });
    }
};

struct Moments {
    double mean = 0;
    double variance = 0;  ///< of the population
};

/// What is summed over one channel's plane while it is in the cache.
struct PlaneSums {
    double values = 0;
    double squares = 0;  ///< of x - mean(), rounded as the images are

    template <typename T>
    T mean(int64_t size) const {
        return static_cast<T>(values / static_cast<double>(size));
    }
};

/// Of all planes of a channel; `sumsOf(n)` are those of image n. The squares are shifted from each
/// plane's mean to that of all: sum (x - a)^2 = sum (x - b)^2 + 2 (b - a) sum (x - b) + n (b -
/// a)^2. Source: Chan, Golub & LeVeque, Algorithms for computing the sample variance (1983).
template <typename T, typename F>
Moments momentsOfPlanes(const ChannelLayout& layout, F&& sumsOf) {
    const auto size = static_cast<double>(layout.size);
    const auto count = static_cast<double>(layout.elementsPerChannel());
    if (count == 0) return {};
    double total = 0, squares = 0;
    for (int64_t n = 0; n < layout.batch; ++n) total += sumsOf(n).values;
    for (int64_t n = 0; n < layout.batch; ++n) {
        const PlaneSums sums = sumsOf(n);
        const auto mean = static_cast<double>(sums.mean<T>(layout.size));
        const double step = mean - total / count;
        squares += sums.squares + 2 * step * (sums.values - size * mean) + size * step * step;
    }
    return {total / count, squares / count};
}

template <typename T>
PlaneSums sumsOfPlane(const T* x, int64_t size) {
    PlaneSums sums;
    sums.values = sumOver<T>(size, [&](int64_t i) { return x[i]; });
    const T mean = sums.mean<T>(size);
    sums.squares = sumOver<T>(size, [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
    return sums;
}

/// y = (x - mean) * inverseDeviation * scale + bias.
template <typename T>
void normalizeChannel(const RunContext& c, const ChannelLayout& layout, int64_t channel, T mean,
                      T factor) {
    const T bias = c.in<T>(2)[channel];
    layout.forEachPlane(channel, [&](int64_t plane) {
        scaleAndShift(c.in<T>(0) + plane, c.out<T>(0) + plane, layout.size, mean, factor, bias);
        c.finished(plane, plane + layout.size);
    });
}

template <typename T>
std::unique_ptr<Kernel> inferenceKernel(const ChannelLayout& layout, T epsilon,
                                        std::vector<size_t> copies) {
    return makeKernel(
        [=](const RunContext& c) {
            const T *mean = c.in<T>(3), *variance = c.in<T>(4);
            layout.forEachChannel(c.pool(), [&](int64_t i) {
                const T factor = c.in<T>(1)[i] / std::sqrt(variance[i] + epsilon);
                normalizeChannel(c, layout, i, mean[i], factor);
            });
            for (const size_t output : copies)
                std::copy_n(c.in<T>(output + 2), layout.channels, c.out<T>(output));
        },
        {.finishesParts = true});
}

/// Which optional outputs a training step has.
struct StatisticsOutputs {
    bool runningMean = false;
    bool runningVariance = false;
    bool savedMean = false;
    bool savedDeviation = false;

    static StatisticsOutputs of(const PrepareContext& context) {
        return {context.hasOutput(1), context.hasOutput(2), context.hasOutput(3),
                context.hasOutput(4)};
    }
};

/// What a training step computes from a channel's moments.
template <typename T>
struct StatisticsRule {
    BatchNormAttributes attributes;
    StatisticsOutputs outputs;
    bool savesInverse = false;  ///< output 4 is the inverse deviation (BatchNormInternal), not the
                                ///< variance (BatchNormalization up to opset 13)

    /// Writes the statistics of channel `i`. Returns: the inverse deviation.
    T apply(const RunContext& c, int64_t i, T mean, T variance) const {
        const T momentum = static_cast<T>(attributes.momentum);
        const T inverse = T{1} / std::sqrt(variance + static_cast<T>(attributes.epsilon));
        const auto blend = [&](T old, T now) { return momentum * old + (T{1} - momentum) * now; };
        if (outputs.runningMean) c.out<T>(1)[i] = blend(c.in<T>(3)[i], mean);
        if (outputs.runningVariance) c.out<T>(2)[i] = blend(c.in<T>(4)[i], variance);
        if (outputs.savedMean) c.out<T>(3)[i] = mean;
        if (outputs.savedDeviation) c.out<T>(4)[i] = savesInverse ? inverse : variance;
        return inverse;
    }
};

template <typename T>
std::unique_ptr<Kernel> trainingKernel(const ChannelLayout& layout, const StatisticsRule<T>& rule,
                                       KernelTraits traits) {
    const auto planes = static_cast<size_t>(layout.batch * layout.channels);
    traits.scratchBytes = planes * sizeof(PlaneSums);
    auto run = [=](const RunContext& c) {
        layout.forEachChannel(c.pool(), [&](int64_t i) {
            auto* sums = reinterpret_cast<PlaneSums*>(c.scratch()) + i * layout.batch;
            for (int64_t n = 0; n < layout.batch; ++n)
                sums[n] = sumsOfPlane(c.in<T>(0) + layout.plane(n, i), layout.size);
            const Moments moments = momentsOfPlanes<T>(layout, [&](int64_t n) { return sums[n]; });
            const T mean = static_cast<T>(moments.mean);
            const T inverse = rule.apply(c, i, mean, static_cast<T>(moments.variance));
            normalizeChannel(c, layout, i, mean, c.in<T>(1)[i] * inverse);
        });
    };
    traits.finishesParts = true;
    return makeKernel(std::move(run), std::move(traits));
}

// The same for images in blocks of channels: the sums are those of single channels, bit for bit.
// Each plane of a block is a separate task; its sums are added in the order of the planes.

/// Images [batch, blocks, size, kChannelBlock], and the sums of their planes.
struct BlockedImages {
    explicit BlockedImages(const ChannelLayout& images)
        : layout(images), blocks(images.channels / kChannelBlock) {}

    size_t planes() const { return static_cast<size_t>(layout.batch * blocks); }
    int64_t firstChannel(int64_t block) const { return block * kChannelBlock; }
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

    /// The sums of a block over the batch.
    simd::ChannelSums total(const simd::ChannelSums* sums, int64_t block) const {
        simd::ChannelSums totals{};
        for (int64_t n = 0; n < layout.batch; ++n) simd::addTo(totals, sums[indexOf(n, block)]);
        return totals;
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
    return makeKernel(std::move(run), {.scratchBytes = scratch.bytes(), .finishesParts = true});
}

std::unique_ptr<Kernel> blockedTrainingKernel(const ChannelLayout& layout,
                                              const StatisticsRule<float>& rule,
                                              KernelTraits traits) {
    const BlockedImages images(layout);
    ScratchLayout scratch;
    const size_t sumBytes = images.planes() * sizeof(simd::ChannelSums);
    const size_t valuesAt = scratch.add(sumBytes), squaresAt = scratch.add(sumBytes);
    const size_t formsAt =
        scratch.add(static_cast<size_t>(images.blocks) * sizeof(simd::Normalization));
    traits.scratchBytes = scratch.bytes();
    traits.finishesParts = true;
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
        for (int64_t block = 0; block < images.blocks; ++block) {
            simd::Normalization& form = forms[block];
            for (size_t c = 0; c < form.mean.size(); ++c) {
                const int64_t channel = images.firstChannel(block) + static_cast<int64_t>(c);
                const Moments moments = momentsOfPlanes<float>(images.layout, [&](int64_t n) {
                    const size_t plane = images.indexOf(n, block);
                    return PlaneSums{values[plane][c], squares[plane][c]};
                });
                form.mean[c] = static_cast<float>(moments.mean);
                const float inverse = rule.apply(context, channel, form.mean[c],
                                                 static_cast<float>(moments.variance));
                form.factor[c] = context.in<float>(1)[channel] * inverse;
                form.bias[c] = context.in<float>(2)[channel];
            }
        }
        normalizeBlocks(context, images, forms);
    };
    return makeKernel(std::move(run), std::move(traits));
}

void requireBatchNorm(const PrepareContext& context) {
    for (size_t i = 1; i < 5; ++i) context.requireDType(i, context.input(0).dtype);
}

std::vector<size_t> statisticsCopies(const PrepareContext& context) {
    std::vector<size_t> copies;
    for (size_t i = 1; i < 3; ++i) {
        if (context.hasOutput(i)) copies.push_back(i);
    }
    return copies;
}

std::unique_ptr<Kernel> prepareBatchNorm(const PrepareContext& context) {
    requireBatchNorm(context);
    const auto attributes = BatchNormAttributes::of(context.node(), context.opset());
    const auto layout = ChannelLayout::of(context.input(0).shape);
    const std::vector<size_t> copies = statisticsCopies(context);
    const auto blockable = !attributes.isTraining && copies.empty()
                               ? blockableOf(context, {0b1, 0b1})
                               : BlockedOperands{};
    if (!blockable.isEmpty()) {
        return makeBlockable(context, blockable, true, [=](BlockedOperands blocked) {
            return blocked.isEmpty() ? inferenceKernel<float>(layout, attributes.epsilon, {})
                                     : blockedInferenceKernel(layout, attributes.epsilon);
        });
    }
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        if (!attributes.isTraining)
            return inferenceKernel<T>(layout, static_cast<T>(attributes.epsilon), copies);
        return trainingKernel<T>(
            layout, StatisticsRule<T>{attributes, StatisticsOutputs::of(context), false}, {});
    });
}

/// The running statistics are updated in the memory of inputs 3 and 4.
std::unique_ptr<Kernel> prepareBatchNormInternal(const PrepareContext& context) {
    requireBatchNorm(context);
    const auto attributes = BatchNormAttributes::of(context.node(), context.opset());
    const auto layout = ChannelLayout::of(context.input(0).shape);
    const auto outputs = StatisticsOutputs::of(context);
    KernelTraits traits;
    if (outputs.runningMean) traits.views.emplace_back(3, 1);
    if (outputs.runningVariance) traits.views.emplace_back(4, 2);
    if (outputs.runningMean) traits.mutatedInputs.push_back(3);
    if (outputs.runningVariance) traits.mutatedInputs.push_back(4);
    const auto blockable =
        attributes.isTraining ? blockableOf(context, {0b1, 0b1}) : BlockedOperands{};
    if (!blockable.isEmpty()) {
        return makeBlockable(context, blockable, true, [=](BlockedOperands blocked) {
            const StatisticsRule<float> rule{attributes, outputs, true};
            return blocked.isEmpty() ? trainingKernel<float>(layout, rule, traits)
                                     : blockedTrainingKernel(layout, rule, traits);
        });
    }
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        if (!attributes.isTraining)
            return inferenceKernel<T>(layout, static_cast<T>(attributes.epsilon), {});
        return trainingKernel<T>(layout, StatisticsRule<T>{attributes, outputs, true}, traits);
    });
}

/// dbias = sum dy, dscale = sum dy x̂, dx = scale r (dy - dbias / n - x̂ dscale / n).
template <typename T>
std::unique_ptr<Kernel> gradientKernel(const ChannelLayout& layout) {
    return makeKernel(
        [=](const RunContext& c) {
            const T *dy = c.in<T>(0), *x = c.in<T>(1);
            layout.forEachChannel(c.pool(), [&](int64_t channel) {
                const T mean = c.in<T>(3)[channel], inverse = c.in<T>(4)[channel];
                double dbias = 0, dscale = 0;
                layout.forEachPlane(channel, [&](int64_t plane) {
                    dbias += sumOver<T>(layout.size, [&](int64_t i) { return dy[plane + i]; });
                    dscale += sumOver<T>(layout.size, [&](int64_t i) {
                        return dy[plane + i] * (x[plane + i] - mean);
                    });
                });
                dscale *= static_cast<double>(inverse);
                c.out<T>(1)[channel] = static_cast<T>(dscale);
                c.out<T>(2)[channel] = static_cast<T>(dbias);
                T* dx = c.out<T>(0);
                const auto count = static_cast<double>(layout.elementsPerChannel());
                const T factor = c.in<T>(2)[channel] * inverse;
                const T shift = static_cast<T>(dbias / count);
                const T slope = static_cast<T>(dscale / count) * inverse;
                layout.forEachPlane(channel, [&](int64_t plane) {
                    for (int64_t i = plane; i < plane + layout.size; ++i)
                        dx[i] = factor * (dy[i] - shift - (x[i] - mean) * slope);
                    c.finished(plane, plane + layout.size);
                });
            });
        },
        {.mayShare = {{0, 0}}, .finishesParts = true});
}

/// The coefficients of the gradients of a block's images; writes the gradients of scale and bias.
simd::NormalizationGradient gradientForm(const RunContext& context, const BlockedImages& images,
                                         int64_t block, const simd::ChannelSums& gradients,
                                         const simd::ChannelSums& products) {
    const auto count = static_cast<double>(images.layout.elementsPerChannel());
    simd::NormalizationGradient form{};
    for (size_t c = 0; c < form.mean.size(); ++c) {
        const int64_t channel = images.firstChannel(block) + static_cast<int64_t>(c);
        const float inverse = context.in<float>(4)[channel];
        const double dscale = products[c] * static_cast<double>(inverse);
        context.out<float>(1)[channel] = static_cast<float>(dscale);
        context.out<float>(2)[channel] = static_cast<float>(gradients[c]);
        form.mean[c] = context.in<float>(3)[channel];
        form.factor[c] = context.in<float>(2)[channel] * inverse;
        form.shift[c] = static_cast<float>(gradients[c] / count);
        form.slope[c] = static_cast<float>(dscale / count) * inverse;
    }
    return form;
}

/// The same for images in blocks of channels.
std::unique_ptr<Kernel> blockedGradientKernel(const ChannelLayout& layout) {
    const BlockedImages images(layout);
    ScratchLayout scratch;
    const size_t sumBytes = images.planes() * sizeof(simd::ChannelSums);
    const size_t gradientsAt = scratch.add(sumBytes), productsAt = scratch.add(sumBytes);
    const size_t formsAt =
        scratch.add(static_cast<size_t>(images.blocks) * sizeof(simd::NormalizationGradient));
    auto run = [=](const RunContext& context) {
        const float *dy = context.in<float>(0), *x = context.in<float>(1);
        const int64_t size = images.layout.size;
        auto* gradients = reinterpret_cast<simd::ChannelSums*>(context.scratch() + gradientsAt);
        auto* products = reinterpret_cast<simd::ChannelSums*>(context.scratch() + productsAt);
        auto* forms = reinterpret_cast<simd::NormalizationGradient*>(context.scratch() + formsAt);
        images.forEachPlane(context.pool(), [&](int64_t block, size_t plane, int64_t offset) {
            simd::ChannelValues mean;
            std::copy_n(context.in<float>(3) + images.firstChannel(block), kChannelBlock,
                        mean.begin());
            const auto sums = simd::gradientSumsOfPixels(dy + offset, x + offset, size, mean);
            gradients[plane] = sums.gradients;
            products[plane] = sums.products;
        });
        for (int64_t block = 0; block < images.blocks; ++block)
            forms[block] = gradientForm(context, images, block, images.total(gradients, block),
                                        images.total(products, block));
        images.forEachPlane(context.pool(), [&](int64_t block, size_t, int64_t offset) {
            simd::normalizeGradients(dy + offset, x + offset, context.out<float>(0) + offset, size,
                                     forms[block]);
            context.finished(offset, offset + size * kChannelBlock);
        });
    };
    return makeKernel(
        std::move(run),
        {.mayShare = {{0, 0}}, .scratchBytes = scratch.bytes(), .finishesParts = true});
}

std::unique_ptr<Kernel> prepareBatchNormGrad(const PrepareContext& context) {
    requireBatchNorm(context);
    for (size_t i = 0; i < 3; ++i) {
        if (!context.hasOutput(i))
            context.fail(ErrorCode::InvalidInput, "Output " + std::to_string(i) + " is missing.");
    }
    const auto layout = ChannelLayout::of(context.input(1).shape);
    const auto blockable = blockableOf(context, {0b11, 0b1});
    if (!blockable.isEmpty()) {
        return makeBlockable(context, blockable, true, [=](BlockedOperands blocked) {
            return blocked.isEmpty() ? gradientKernel<float>(layout)
                                     : blockedGradientKernel(layout);
        });
    }
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return gradientKernel<T>(layout); });
}

}  // namespace

void addBatchNormCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "BatchNormalization", prepareBatchNorm);
    kernels.add(kMicrosoftDomain, "BatchNormInternal", prepareBatchNormInternal);
    kernels.add(kMicrosoftDomain, "BatchNormalizationGrad", prepareBatchNormGrad);
}

}  // namespace temper
