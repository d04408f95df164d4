// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "engine/ops/normalization/batch_norm_kernels.h"
#include "engine/runtime/cpu/scratch_layout.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

template <typename T>
PlaneSums sumsOfPlane(const T* x, int64_t size) {
    PlaneSums sums;
    sums.values = simd::sumInLanes(x, size);
    sums.squares = squaresFrom(sums.mean<T>(size), x, size);
    return sums;
}

template <typename T>
ChannelGradients gradientsOfPlane(const T* dy, const T* x, int64_t size, T mean) {
    const simd::GradientTotals totals = gradientTotals(dy, x, size, mean);
    return {totals.gradients, totals.products};
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
    if constexpr (isFloat<T>) {
        if (layout.size == 1) return rowInferenceKernel(layout, epsilon, std::move(copies));
    }
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
        {}, {.finishesParts = true});
}

template <typename T>
std::unique_ptr<Kernel> trainingKernel(const ChannelLayout& layout, const StatisticsRule<T>& rule,
                                       const StatisticsExchange& exchange, KernelTraits traits) {
    if constexpr (isFloat<T>) {
        if (layout.size == 1) return rowTrainingKernel(layout, rule, exchange, std::move(traits));
    }
    const auto channels = static_cast<size_t>(layout.channels);
    ScratchLayout scratch;
    const size_t sumsAt =
        scratch.add(static_cast<size_t>(layout.batch) * channels * sizeof(PlaneSums));
    const size_t momentsAt = scratch.add(exchange.isNeeded() ? channels * sizeof(Moments) : 0);
    traits.scratchBytes = scratch.bytes();
    auto run = [=](const RunContext& c) {
        const auto measure = [&](int64_t i) {
            auto* sums = reinterpret_cast<PlaneSums*>(c.scratch() + sumsAt) + i * layout.batch;
            for (int64_t n = 0; n < layout.batch; ++n)
                sums[n] = sumsOfPlane(c.in<T>(0) + layout.plane(n, i), layout.size);
            return momentsOfPlanes<T>(layout, [&](int64_t n) { return sums[n]; });
        };
        const auto normalize = [&](int64_t i, const Moments& moments) {
            const T mean = static_cast<T>(moments.mean);
            const T inverse = rule.apply(c, i, mean, static_cast<T>(moments.variance));
            normalizeChannel(c, layout, i, mean, c.in<T>(1)[i] * inverse);
        };
        if (!exchange.isNeeded()) {  // while the channel is in the cache
            return layout.forEachChannel(c.pool(), [&](int64_t i) { normalize(i, measure(i)); });
        }
        auto* moments = reinterpret_cast<Moments*>(c.scratch() + momentsAt);
        layout.forEachChannel(c.pool(), [&](int64_t i) { moments[i] = measure(i); });
        exchange.combine(layout.elementsPerChannel(), {moments, channels});
        layout.forEachChannel(c.pool(), [&](int64_t i) { normalize(i, moments[i]); });
    };
    return makeKernel(std::move(run), std::move(traits), {.finishesParts = true});
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

std::unique_ptr<Kernel> prepareBatchNorm(const PrepareContext& context,
                                         const StatisticsExchange& exchange) {
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
        const StatisticsRule<T> rule{attributes, StatisticsOutputs::of(context), false};
        return trainingKernel<T>(layout, rule, exchange, {});
    });
}

/// The running statistics are updated in the memory of inputs 3 and 4.
std::unique_ptr<Kernel> prepareBatchNormInternal(const PrepareContext& context,
                                                 const StatisticsExchange& exchange) {
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
            return blocked.isEmpty() ? trainingKernel<float>(layout, rule, exchange, traits)
                                     : blockedTrainingKernel(layout, rule, exchange, traits);
        });
    }
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        if (!attributes.isTraining)
            return inferenceKernel<T>(layout, static_cast<T>(attributes.epsilon), {});
        const StatisticsRule<T> rule{attributes, outputs, true};
        return trainingKernel<T>(layout, rule, exchange, traits);
    });
}

template <typename T>
std::unique_ptr<Kernel> gradientKernel(const ChannelLayout& layout,
                                       const StatisticsExchange& exchange) {
    if constexpr (isFloat<T>) {
        if (layout.size == 1) return rowGradientKernel(layout, exchange);
    }
    const auto channels = static_cast<size_t>(layout.channels);
    auto run = [=](const RunContext& c) {
        const T *dy = c.in<T>(0), *x = c.in<T>(1);
        const auto measure = [&](int64_t channel) {
            const T mean = c.in<T>(3)[channel];
            ChannelGradients sums;
            layout.forEachPlane(channel, [&](int64_t plane) {
                const auto part = gradientsOfPlane(dy + plane, x + plane, layout.size, mean);
                sums.gradients += part.gradients;
                sums.products += part.products;
            });
            writeParameterGradients<T>(c, channel, sums);
            return sums;
        };
        const auto write = [&](int64_t channel, const ChannelGradients& sums) {
            const auto form = GradientForm<T>::of(c, channel, sums, layout.elementsPerChannel());
            layout.forEachPlane(channel, [&](int64_t plane) {
                normalizeGradient<T>(dy + plane, x + plane, c.out<T>(0) + plane, layout.size, form);
                c.finished(plane, plane + layout.size);
            });
        };
        if (!exchange.isNeeded()) {  // while the channel is in the cache
            return layout.forEachChannel(c.pool(), [&](int64_t i) { write(i, measure(i)); });
        }
        auto* sums = reinterpret_cast<ChannelGradients*>(c.scratch());
        layout.forEachChannel(c.pool(), [&](int64_t i) { sums[i] = measure(i); });
        exchange.combine(layout.elementsPerChannel(), {sums, channels});
        layout.forEachChannel(c.pool(), [&](int64_t i) { write(i, sums[i]); });
    };
    return makeKernel(
        std::move(run),
        {.mayShare = {{0, 0}},
         .scratchBytes = exchange.isNeeded() ? channels * sizeof(ChannelGradients) : 0},
        {.finishesParts = true});
}

std::unique_ptr<Kernel> prepareBatchNormGrad(const PrepareContext& context,
                                             const StatisticsExchange& exchange) {
    requireBatchNorm(context);
    for (size_t i = 0; i < 3; ++i) {
        if (!context.hasOutput(i))
            context.fail(ErrorCode::InvalidInput, "Output " + std::to_string(i) + " is missing.");
    }
    const auto layout = ChannelLayout::of(context.input(1).shape);
    const auto blockable = blockableOf(context, {0b11, 0b1});
    if (!blockable.isEmpty()) {
        return makeBlockable(context, blockable, true, [=](BlockedOperands blocked) {
            return blocked.isEmpty() ? gradientKernel<float>(layout, exchange)
                                     : blockedGradientKernel(layout, exchange);
        });
    }
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return gradientKernel<T>(layout, exchange); });
}

/// The operators whose kernels use statistics of the batch.
struct BatchNormKernel {
    std::string_view domain;
    const char* opType;
    std::unique_ptr<Kernel> (*prepare)(const PrepareContext&, const StatisticsExchange&);
};
constexpr BatchNormKernel kKernels[] = {
    {kOnnxDomain, "BatchNormalization", prepareBatchNorm},
    {kMicrosoftDomain, "BatchNormInternal", prepareBatchNormInternal},
    {kMicrosoftDomain, "BatchNormalizationGrad", prepareBatchNormGrad},
};

/// The mean of the slices' numbers, weighted by their elements.
template <typename F>
double meanOver(std::span<const SliceStatistics> slices, F&& numberOf) {
    double sum = 0, total = 0;
    for (const SliceStatistics& slice : slices) {
        sum += slice.count * numberOf(slice);
        total += slice.count;
    }
    return total > 0 ? sum / total : 0;
}

}  // namespace

/// Source: Chan, Golub & LeVeque, as momentsOfPlanes().
void StatisticsExchange::combine(int64_t count, std::span<Moments> channels) const {
    const SliceStatistics own{static_cast<double>(count),
                              {&channels.front().mean, 2 * channels.size()}};
    const auto slices = slices_->gather(node_, own);
    for (size_t i = 0; i < channels.size(); ++i) {
        const double mean =
            meanOver(slices, [i](const SliceStatistics& slice) { return slice.numbers[2 * i]; });
        const double variance = meanOver(slices, [&](const SliceStatistics& slice) {
            const double step = slice.numbers[2 * i] - mean;
            return slice.numbers[2 * i + 1] + step * step;
        });
        channels[i] = {mean, variance};
    }
}

void StatisticsExchange::combine(int64_t count, std::span<ChannelGradients> channels) const {
    const SliceStatistics own{static_cast<double>(count),
                              {&channels.front().gradients, 2 * channels.size()}};
    const auto slices = slices_->gather(node_ + " (gradient)", own);
    for (size_t i = 0; i < channels.size(); ++i) {
        channels[i].gradients =
            meanOver(slices, [i](const SliceStatistics& slice) { return slice.numbers[2 * i]; });
        channels[i].products = meanOver(
            slices, [i](const SliceStatistics& slice) { return slice.numbers[2 * i + 1]; });
    }
}

bool usesBatchStatistics(const Graph& trainingModel) {
    const auto usesThem = [](const auto& attribute) {
        const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute.second);
        return body != nullptr && *body != nullptr && usesBatchStatistics(**body);
    };
    return std::ranges::any_of(trainingModel.nodes(), [&](const Node* node) {
        if (node->opType() == "BatchNormInternal")
            return BatchNormAttributes::of(*node, 14).isTraining;
        return std::ranges::any_of(node->attributes(), usesThem);
    });
}

void addBatchNormCpuKernels(KernelRegistry& kernels) {
    for (const BatchNormKernel& kernel : kKernels) {
        kernels.add(kernel.domain, kernel.opType,
                    [prepare = kernel.prepare](const PrepareContext& context) {
                        return prepare(context, {});
                    });
    }
}

void synchronizeBatchNorms(KernelRegistry& kernels, BatchStatistics& statistics) {
    for (const BatchNormKernel& kernel : kKernels) {
        kernels.replace(kernel.domain, kernel.opType,
                        [prepare = kernel.prepare, &statistics](const PrepareContext& context) {
                            return prepare(context, {statistics, context});
                        });
    }
}

}  // namespace temper
