// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/ops/normalization/batch_statistics.h"
#include "engine/ops/normalization/norm_kernels.h"
#include "engine/ops/normalization/normalization.h"
#include "engine/runtime/kernel.h"

namespace temper {

// What the kernels of batch normalizations share.

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

/// Sums of a channel that its gradient needs.
struct ChannelGradients {
    double gradients = 0;  ///< of dy
    double products = 0;   ///< of dy (x - mean)
};

/// The coefficients of a channel's gradient: dx = factor (dy - shift - (x - mean) slope), with
/// dx = scale r (dy - dbias / n - x̂ dscale / n).
template <typename T>
struct GradientForm : NormGradient<T> {
    static GradientForm of(const RunContext& c, int64_t channel, const ChannelGradients& sums,
                           int64_t elements) {
        const auto count = static_cast<double>(elements);
        const T inverse = c.in<T>(4)[channel];
        const double dscale = sums.products * static_cast<double>(inverse);
        return {{c.in<T>(3)[channel], c.in<T>(2)[channel] * inverse,
                 static_cast<T>(sums.gradients / count), static_cast<T>(dscale / count) * inverse}};
    }
};

/// dscale = sum dy x̂, dbias = sum dy.
template <typename T>
void writeParameterGradients(const RunContext& c, int64_t channel, const ChannelGradients& sums) {
    const auto inverse = static_cast<double>(c.in<T>(4)[channel]);
    c.out<T>(1)[channel] = static_cast<T>(sums.products * inverse);
    c.out<T>(2)[channel] = static_cast<T>(sums.gradients);
}

/// What a batch normalization of one slice learns from the other slices of the batch.
class StatisticsExchange {
public:
    /// The slice is the batch.
    StatisticsExchange() = default;
    StatisticsExchange(BatchStatistics& slices, const PrepareContext& context)
        : slices_(&slices), node_(context.node().describe()) {}

    bool isNeeded() const { return slices_ != nullptr; }
    /// The moments of channels, each of `count` elements in this slice, become those of the batch.
    void combine(int64_t count, std::span<Moments> channels) const;
    /// The sums become those with which a slice's gradient is that of a mean over the batch: their
    /// mean over the slices, weighted by elements. With S_t the sum over the e_t elements of slice
    /// t, E those of all, and losses that are means over their slice:
    ///   dx_s = factor (dy_s - sum_t e_t S_t / (E e_s) - ...)
    void combine(int64_t count, std::span<ChannelGradients> channels) const;

private:
    BatchStatistics* slices_ = nullptr;
    std::string node_;
};

// The same for float32 images in blocks of channels.

std::unique_ptr<Kernel> blockedInferenceKernel(const ChannelLayout& layout, float epsilon);
std::unique_ptr<Kernel> blockedTrainingKernel(const ChannelLayout& layout,
                                              const StatisticsRule<float>& rule,
                                              const StatisticsExchange& exchange,
                                              KernelTraits traits);
std::unique_ptr<Kernel> blockedGradientKernel(const ChannelLayout& layout,
                                              const StatisticsExchange& exchange);

// The same for float32 rows [batch, channels].

std::unique_ptr<Kernel> rowInferenceKernel(const ChannelLayout& layout, float epsilon,
                                           std::vector<size_t> copies);
std::unique_ptr<Kernel> rowTrainingKernel(const ChannelLayout& layout,
                                          const StatisticsRule<float>& rule,
                                          const StatisticsExchange& exchange, KernelTraits traits);
std::unique_ptr<Kernel> rowGradientKernel(const ChannelLayout& layout,
                                          const StatisticsExchange& exchange);

}  // namespace temper
