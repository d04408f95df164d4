// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "engine/ops/normalization/norm_kernels.h"
#include "engine/ops/normalization/normalization.h"
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

/// `savesInverse`: output 4 is the inverse deviation (BatchNormInternal), not the variance
/// (BatchNormalization up to opset 13).
template <typename T>
std::unique_ptr<Kernel> trainingKernel(const ChannelLayout& layout,
                                       const BatchNormAttributes& attributes,
                                       const StatisticsOutputs& outputs, bool savesInverse,
                                       KernelTraits traits) {
    const T epsilon = static_cast<T>(attributes.epsilon);
    const T momentum = static_cast<T>(attributes.momentum);
    auto run = [=](const RunContext& c) {
        layout.forEachChannel(c.pool(), [&](int64_t i) {
            const Moments moments = momentsOf(c.in<T>(0), layout, i);
            const T mean = static_cast<T>(moments.mean),
                    variance = static_cast<T>(moments.variance);
            const T inverse = T{1} / std::sqrt(variance + epsilon);
            normalizeChannel(layout, i, c.in<T>(0), c.out<T>(0), mean, c.in<T>(1)[i] * inverse,
                             c.in<T>(2)[i]);
            const auto blend = [&](T old, T now) {
                return momentum * old + (T{1} - momentum) * now;
            };
            if (outputs.runningMean) c.out<T>(1)[i] = blend(c.in<T>(3)[i], mean);
            if (outputs.runningVariance) c.out<T>(2)[i] = blend(c.in<T>(4)[i], variance);
            if (outputs.savedMean) c.out<T>(3)[i] = mean;
            if (outputs.savedDeviation) c.out<T>(4)[i] = savesInverse ? inverse : variance;
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
        return trainingKernel<T>(layout, attributes, StatisticsOutputs::of(context), false, {});
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
    return visitNormType(context, [&]<typename T>() {
        if (!attributes.isTraining)
            return inferenceKernel<T>(layout, static_cast<T>(attributes.epsilon), {});
        return trainingKernel<T>(layout, attributes, outputs, true, traits);
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

std::unique_ptr<Kernel> prepareBatchNormGrad(const PrepareContext& context) {
    requireBatchNorm(context);
    for (size_t i = 0; i < 3; ++i) {
        if (!context.hasOutput(i))
            context.fail(ErrorCode::InvalidInput, "Output " + std::to_string(i) + " is missing.");
    }
    const auto layout = ChannelLayout::of(context.input(1).shape);
    return visitNormType(context, [&]<typename T>() { return gradientKernel<T>(layout); });
}

}  // namespace

void addBatchNormCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "BatchNormalization", prepareBatchNorm);
    kernels.add(kMicrosoftDomain, "BatchNormInternal", prepareBatchNormInternal);
    kernels.add(kMicrosoftDomain, "BatchNormalizationGrad", prepareBatchNormGrad);
}

}  // namespace temper
