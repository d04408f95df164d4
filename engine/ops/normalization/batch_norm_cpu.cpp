// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "engine/ops/normalization/norm_kernels.h"
#include "engine/ops/normalization/normalization.h"
#include "engine/runtime/blockable_kernel.h"
#include "engine/runtime/cpu/sums.h"

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

template <typename T>
Moments momentsOf(const T* x, const ChannelLayout& layout, int64_t channel) {
    const auto count = static_cast<double>(layout.elementsPerChannel());
    if (count == 0) return {};
    double total = 0, squares = 0;
    layout.forEachPlane(channel, [&](int64_t plane) {
        total += sumOver<T>(layout.size, [&](int64_t i) { return x[plane + i]; });
    });
    const T mean = static_cast<T>(total / count);
    layout.forEachPlane(channel, [&](int64_t plane) {
        squares += sumOver<T>(layout.size, [&](int64_t i) {
            const T centered = x[plane + i] - mean;
            return centered * centered;
        });
    });
    return {total / count, squares / count};
}

/// y = (x - mean) * inverseDeviation * scale + bias.
template <typename T>
void normalizeChannel(const ChannelLayout& layout, int64_t channel, const T* x, T* y, T mean,
                      T factor, T bias) {
    layout.forEachPlane(channel, [&](int64_t plane) {
        scaleAndShift(x + plane, y + plane, layout.size, mean, factor, bias);
    });
}

template <typename T>
std::unique_ptr<Kernel> inferenceKernel(const ChannelLayout& layout, T epsilon,
                                        std::vector<size_t> copies) {
    return makeKernel([=](const RunContext& c) {
        const T *mean = c.in<T>(3), *variance = c.in<T>(4);
        layout.forEachChannel(c.pool(), [&](int64_t i) {
            const T factor = c.in<T>(1)[i] / std::sqrt(variance[i] + epsilon);
            normalizeChannel(layout, i, c.in<T>(0), c.out<T>(0), mean[i], factor, c.in<T>(2)[i]);
        });
        for (const size_t output : copies)
            std::copy_n(c.in<T>(output + 2), layout.channels, c.out<T>(output));
    });
}

/// Which of the optional outputs of a training step there are.
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

/// What a training step makes of a channel's moments.
template <typename T>
struct StatisticsRule {
    BatchNormAttributes attributes;
    StatisticsOutputs outputs;
    bool savesInverse = false;  ///< output 4 is the inverse deviation (BatchNormInternal), not the
                                ///< variance (BatchNormalization up to opset 13)

    /// Gives out the statistics of channel `i`. Returns: the inverse deviation.
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
    auto run = [=](const RunContext& c) {
        layout.forEachChannel(c.pool(), [&](int64_t i) {
            const Moments moments = momentsOf(c.in<T>(0), layout, i);
            const T mean = static_cast<T>(moments.mean);
            const T inverse = rule.apply(c, i, mean, static_cast<T>(moments.variance));
            normalizeChannel(layout, i, c.in<T>(0), c.out<T>(0), mean, c.in<T>(1)[i] * inverse,
                             c.in<T>(2)[i]);
        });
    };
    return makeKernel(std::move(run), std::move(traits));
}

// The same for images in blocks of channels: the sums are those of single channels, bit by bit.

using BlockSums = std::array<double, kChannelBlock>;
using BlockValues = std::array<float, kChannelBlock>;

/// Sums of f(pixel, channel) over the pixels of each channel, in the order of sumOver().
template <typename F>
BlockSums sumsOverPixels(int64_t pixels, F&& f) {
    constexpr int64_t kLanes = 8, kBlock = 512;
    BlockSums totals{};
    for (int64_t begin = 0; begin < pixels; begin += kBlock) {
        const int64_t end = std::min(begin + kBlock, pixels);
        float lanes[kLanes][kChannelBlock] = {};
        for (int64_t i = begin; i < end; i += kLanes) {
            const int64_t used = std::min(kLanes, end - i);
            for (int64_t lane = 0; lane < used; ++lane) {
                for (int64_t c = 0; c < kChannelBlock; ++c) lanes[lane][c] += f(i + lane, c);
            }
        }
        for (const auto& lane : lanes) {
            for (size_t c = 0; c < totals.size(); ++c) totals[c] += static_cast<double>(lane[c]);
        }
    }
    return totals;
}

void addTo(BlockSums& totals, const BlockSums& part) {
    for (size_t c = 0; c < totals.size(); ++c) totals[c] += part[c];
}

/// Calls f(first channel) for each block of channels.
template <typename F>
void forEachBlock(const ChannelLayout& layout, ThreadPool& pool, F&& f) {
    pool.forEach(layout.channels / kChannelBlock, [&](int64_t block) { f(block * kChannelBlock); });
}

/// Mean and variance of each channel of a block.
struct BlockMoments {
    BlockValues mean;
    BlockValues variance;

    static BlockMoments of(const float* x, const ChannelLayout& layout, int64_t channel) {
        const auto count = static_cast<double>(layout.elementsPerChannel());
        BlockSums totals{}, squares{};
        layout.forEachPlane(channel, [&](int64_t plane) {
            addTo(totals, sumsOverPixels(layout.size, [&](int64_t i, int64_t c) {
                      return x[plane + i * kChannelBlock + c];
                  }));
        });
        BlockMoments moments;
        for (size_t c = 0; c < totals.size(); ++c)
            moments.mean[c] = static_cast<float>(totals[c] / count);
        const BlockValues mean = moments.mean;
        layout.forEachPlane(channel, [&](int64_t plane) {
            addTo(squares, sumsOverPixels(layout.size, [&](int64_t i, int64_t c) {
                      const float centered =
                          x[plane + i * kChannelBlock + c] - mean[static_cast<size_t>(c)];
                      return centered * centered;
                  }));
        });
        for (size_t c = 0; c < totals.size(); ++c)
            moments.variance[c] = static_cast<float>(squares[c] / count);
        return moments;
    }
};

void normalizeBlock(const float* __restrict x, float* __restrict y, int64_t pixels,
                    const BlockValues& mean, const BlockValues& factor, const BlockValues& bias) {
    for (int64_t i = 0; i < pixels; ++i) {
        for (size_t c = 0; c < mean.size(); ++c)
            y[i * kChannelBlock + static_cast<int64_t>(c)] =
                (x[i * kChannelBlock + static_cast<int64_t>(c)] - mean[c]) * factor[c] + bias[c];
    }
}

std::unique_ptr<Kernel> blockedTrainingKernel(const ChannelLayout& layout,
                                              const StatisticsRule<float>& rule,
                                              KernelTraits traits) {
    auto run = [=](const RunContext& context) {
        forEachBlock(layout, context.pool(), [&](int64_t first) {
            const float* x = context.in<float>(0);
            const BlockMoments moments = BlockMoments::of(x, layout, first);
            BlockValues factor{}, bias{};
            for (size_t c = 0; c < factor.size(); ++c) {
                const int64_t channel = first + static_cast<int64_t>(c);
                const float inverse =
                    rule.apply(context, channel, moments.mean[c], moments.variance[c]);
                factor[c] = context.in<float>(1)[channel] * inverse;
                bias[c] = context.in<float>(2)[channel];
            }
            layout.forEachPlane(first, [&](int64_t plane) {
                normalizeBlock(x + plane, context.out<float>(0) + plane, layout.size, moments.mean,
                               factor, bias);
            });
        });
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
    return visitNormType(context, [&]<typename T>() {
        if (!attributes.isTraining) {
            return inferenceKernel<T>(layout, static_cast<T>(attributes.epsilon),
                                      statisticsCopies(context));
        }
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
    return visitNormType(context, [&]<typename T>() {
        if (!attributes.isTraining)
            return inferenceKernel<T>(layout, static_cast<T>(attributes.epsilon), {});
        return trainingKernel<T>(layout, StatisticsRule<T>{attributes, outputs, true}, traits);
    });
}

/// dbias = sum dy, dscale = sum dy x̂, dx = scale r (dy - dbias / n - x̂ dscale / n).
template <typename T>
std::unique_ptr<Kernel> gradientKernel(const ChannelLayout& layout) {
    return makeKernel([=](const RunContext& c) {
        const T *dy = c.in<T>(0), *x = c.in<T>(1);
        layout.forEachChannel(c.pool(), [&](int64_t channel) {
            const T mean = c.in<T>(3)[channel], inverse = c.in<T>(4)[channel];
            double dbias = 0, dscale = 0;
            layout.forEachPlane(channel, [&](int64_t plane) {
                dbias += sumOver<T>(layout.size, [&](int64_t i) { return dy[plane + i]; });
                dscale += sumOver<T>(
                    layout.size, [&](int64_t i) { return dy[plane + i] * (x[plane + i] - mean); });
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
            });
        });
    });
}

/// The same for images in blocks of channels.
std::unique_ptr<Kernel> blockedGradientKernel(const ChannelLayout& layout) {
    return makeKernel([=](const RunContext& context) {
        forEachBlock(layout, context.pool(), [&](int64_t first) {
            const float *dy = context.in<float>(0), *x = context.in<float>(1);
            const auto count = static_cast<double>(layout.elementsPerChannel());
            BlockValues mean{}, factor{}, shift{}, slope{};
            std::copy_n(context.in<float>(3) + first, kChannelBlock, mean.begin());
            BlockSums dbias{}, dscale{};
            layout.forEachPlane(first, [&](int64_t plane) {
                const auto at = [&](int64_t i, int64_t c) { return plane + i * kChannelBlock + c; };
                addTo(dbias, sumsOverPixels(layout.size,
                                            [&](int64_t i, int64_t c) { return dy[at(i, c)]; }));
                addTo(dscale, sumsOverPixels(layout.size, [&](int64_t i, int64_t c) {
                          return dy[at(i, c)] * (x[at(i, c)] - mean[static_cast<size_t>(c)]);
                      }));
            });
            for (size_t c = 0; c < mean.size(); ++c) {
                const int64_t channel = first + static_cast<int64_t>(c);
                const float inverse = context.in<float>(4)[channel];
                dscale[c] *= static_cast<double>(inverse);
                context.out<float>(1)[channel] = static_cast<float>(dscale[c]);
                context.out<float>(2)[channel] = static_cast<float>(dbias[c]);
                factor[c] = context.in<float>(2)[channel] * inverse;
                shift[c] = static_cast<float>(dbias[c] / count);
                slope[c] = static_cast<float>(dscale[c] / count) * inverse;
            }
            layout.forEachPlane(first, [&](int64_t plane) {
                const float* __restrict from = dy + plane, * __restrict image = x + plane;
                float* __restrict dx = context.out<float>(0) + plane;
                for (int64_t i = 0; i < layout.size * kChannelBlock; i += kChannelBlock) {
                    for (size_t c = 0; c < mean.size(); ++c) {
                        const int64_t at = i + static_cast<int64_t>(c);
                        dx[at] =
                            factor[c] * (from[at] - shift[c] - (image[at] - mean[c]) * slope[c]);
                    }
                }
            });
        });
    });
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
    return visitNormType(context, [&]<typename T>() { return gradientKernel<T>(layout); });
}

}  // namespace

void addBatchNormCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "BatchNormalization", prepareBatchNorm);
    kernels.add(kMicrosoftDomain, "BatchNormInternal", prepareBatchNormInternal);
    kernels.add(kMicrosoftDomain, "BatchNormalizationGrad", prepareBatchNormGrad);
}

}  // namespace temper
