// SPDX-License-Identifier: Apache-2.0
// Batch normalizations of rows [batch, channels]: memory is read row by row; the sums are those of
// single channels, bit for bit.
#include <algorithm>
#include <utility>

#include "engine/ops/normalization/batch_norm_kernels.h"
#include "engine/runtime/cpu/scratch_layout.h"

namespace temper {
namespace {

/// Rows whose two sums are added before the next ones are read.
constexpr int64_t kCachedRows = 64;

/// Calls f(channel, count) for strips of channels, of whole cache lines where possible.
template <typename F>
void forEachStrip(ThreadPool& pool, const ChannelLayout& layout, F&& f) {
    constexpr int64_t kLine = 64 / sizeof(float);
    const int64_t grain = (taskGrain(layout.batch) + kLine - 1) / kLine * kLine;
    pool.forRanges(layout.channels, grain,
                   [&](int64_t begin, int64_t end) { f(begin, end - begin); });
}

/// Calls f(offset, rows) for parts of the array that fit into a cache, then finishes them.
template <typename F>
void forEachPart(const RunContext& c, const ChannelLayout& layout, F&& f) {
    const int64_t grain = 1 + (1 << 13) / (layout.channels + 1);
    c.pool().forRanges(layout.batch, grain, [&](int64_t begin, int64_t end) {
        f(begin * layout.channels, end - begin);
        c.finished(begin * layout.channels, end * layout.channels);
    });
}

/// An array in the scratch memory.
template <typename T>
T* arrayAt(const RunContext& c, size_t offset) {
    return reinterpret_cast<T*>(c.scratch() + offset);
}

/// The numbers by which channels are normalized.
struct ScratchForms {
    ScratchForms(ScratchLayout& scratch, size_t channels)
        : meanAt(scratch.add(channels * sizeof(float))),
          factorAt(scratch.add(channels * sizeof(float))) {}

    void set(const RunContext& c, int64_t channel, float mean, float factor) const {
        arrayAt<float>(c, meanAt)[channel] = mean;
        arrayAt<float>(c, factorAt)[channel] = factor;
    }
    void apply(const RunContext& c, const ChannelLayout& layout) const {
        const simd::NormColumns by{arrayAt<float>(c, meanAt), arrayAt<float>(c, factorAt),
                                   c.in<float>(2)};
        forEachPart(c, layout, [&](int64_t offset, int64_t rows) {
            simd::normalizeRows(c.in<float>(0) + offset, c.out<float>(0) + offset, rows,
                                layout.channels, by);
        });
    }

    size_t meanAt, factorAt;
};

struct ScratchGradientForms {
    ScratchGradientForms(ScratchLayout& scratch, size_t channels)
        : factorAt(scratch.add(channels * sizeof(float))),
          shiftAt(scratch.add(channels * sizeof(float))),
          slopeAt(scratch.add(channels * sizeof(float))) {}

    void set(const RunContext& c, int64_t channel, const GradientForm<float>& form) const {
        arrayAt<float>(c, factorAt)[channel] = form.factor;
        arrayAt<float>(c, shiftAt)[channel] = form.shift;
        arrayAt<float>(c, slopeAt)[channel] = form.slope;
    }
    void apply(const RunContext& c, const ChannelLayout& layout) const {
        const simd::NormGradientColumns by{c.in<float>(3), arrayAt<float>(c, factorAt),
                                           arrayAt<float>(c, shiftAt), arrayAt<float>(c, slopeAt)};
        forEachPart(c, layout, [&](int64_t offset, int64_t rows) {
            simd::normalizeGradientRows(c.in<float>(0) + offset, c.in<float>(1) + offset,
                                        c.out<float>(0) + offset, rows, layout.channels, by);
        });
    }

    size_t factorAt, shiftAt, slopeAt;
};

/// The moments of some channels, with the sums of momentsOfPlanes(): a plane of one element is its
/// own mean.
void measure(const float* x, const ChannelLayout& layout, int64_t count, double* mean,
             double* variance) {
    const auto rows = static_cast<double>(std::max<int64_t>(layout.batch, 1));
    std::fill_n(mean, count, 0.0);
    simd::addRows(x, layout.batch, layout.channels, mean, count);
    for (int64_t i = 0; i < count; ++i) mean[i] /= rows;
    std::fill_n(variance, count, 0.0);
    simd::addSquaresFrom(mean, x, layout.batch, layout.channels, variance, count);
    for (int64_t i = 0; i < count; ++i) variance[i] /= rows;
}

/// The sums of some channels, whose first elements the pointers name.
void addGradients(const float* dy, const float* x, const float* mean, const ChannelLayout& layout,
                  int64_t count, double* gradients, double* products) {
    std::fill_n(gradients, count, 0.0);
    std::fill_n(products, count, 0.0);
    for (int64_t row = 0; row < layout.batch; row += kCachedRows) {
        const int64_t rows = std::min(kCachedRows, layout.batch - row);
        const int64_t at = row * layout.channels;
        simd::addRows(dy + at, rows, layout.channels, gradients, count);
        simd::addProducts(dy + at, x + at, mean, rows, layout.channels, products, count);
    }
}

}  // namespace

std::unique_ptr<Kernel> rowInferenceKernel(const ChannelLayout& layout, float epsilon,
                                           std::vector<size_t> copies) {
    ScratchLayout scratch;
    const ScratchForms forms(scratch, static_cast<size_t>(layout.channels));
    auto run = [=](const RunContext& c) {
        for (int64_t i = 0; i < layout.channels; ++i) {
            const float factor = c.in<float>(1)[i] / std::sqrt(c.in<float>(4)[i] + epsilon);
            forms.set(c, i, c.in<float>(3)[i], factor);
        }
        forms.apply(c, layout);
        for (const size_t output : copies)
            std::copy_n(c.in<float>(output + 2), layout.channels, c.out<float>(output));
    };
    return makeKernel(std::move(run), {.scratchBytes = scratch.bytes()}, {.finishesParts = true});
}

std::unique_ptr<Kernel> rowTrainingKernel(const ChannelLayout& layout,
                                          const StatisticsRule<float>& rule,
                                          const StatisticsExchange& exchange, KernelTraits traits) {
    const auto channels = static_cast<size_t>(layout.channels);
    ScratchLayout scratch;
    const ScratchForms forms(scratch, channels);
    const size_t meansAt = scratch.add(channels * sizeof(double));
    const size_t variancesAt = scratch.add(channels * sizeof(double));
    const size_t momentsAt = scratch.add(channels * sizeof(Moments));
    traits.scratchBytes = scratch.bytes();
    auto run = [=](const RunContext& c) {
        auto* moments = arrayAt<Moments>(c, momentsAt);
        const auto setForms = [&](int64_t first, int64_t count) {
            for (int64_t i = first; i < first + count; ++i) {
                const auto mean = static_cast<float>(moments[i].mean);
                const float inverse =
                    rule.apply(c, i, mean, static_cast<float>(moments[i].variance));
                forms.set(c, i, mean, c.in<float>(1)[i] * inverse);
            }
        };
        forEachStrip(c.pool(), layout, [&](int64_t first, int64_t count) {
            double* means = arrayAt<double>(c, meansAt) + first;
            double* variances = arrayAt<double>(c, variancesAt) + first;
            measure(c.in<float>(0) + first, layout, count, means, variances);
            for (int64_t i = 0; i < count; ++i) moments[first + i] = {means[i], variances[i]};
            if (!exchange.isNeeded()) setForms(first, count);
        });
        if (exchange.isNeeded()) {
            exchange.combine(layout.elementsPerChannel(), {moments, channels});
            setForms(0, layout.channels);
        }
        forms.apply(c, layout);
    };
    return makeKernel(std::move(run), std::move(traits), {.finishesParts = true});
}

std::unique_ptr<Kernel> rowGradientKernel(const ChannelLayout& layout,
                                          const StatisticsExchange& exchange) {
    const auto channels = static_cast<size_t>(layout.channels);
    ScratchLayout scratch;
    const ScratchGradientForms forms(scratch, channels);
    const size_t gradientsAt = scratch.add(channels * sizeof(double));
    const size_t productsAt = scratch.add(channels * sizeof(double));
    const size_t sumsAt = scratch.add(channels * sizeof(ChannelGradients));
    auto run = [=](const RunContext& c) {
        auto* sums = arrayAt<ChannelGradients>(c, sumsAt);
        const auto setForms = [&](int64_t first, int64_t count) {
            for (int64_t i = first; i < first + count; ++i) {
                forms.set(c, i,
                          GradientForm<float>::of(c, i, sums[i], layout.elementsPerChannel()));
            }
        };
        forEachStrip(c.pool(), layout, [&](int64_t first, int64_t count) {
            double* gradients = arrayAt<double>(c, gradientsAt) + first;
            double* products = arrayAt<double>(c, productsAt) + first;
            addGradients(c.in<float>(0) + first, c.in<float>(1) + first, c.in<float>(3) + first,
                         layout, count, gradients, products);
            for (int64_t i = 0; i < count; ++i) {
                sums[first + i] = {gradients[i], products[i]};
                writeParameterGradients<float>(c, first + i, sums[first + i]);
            }
            if (!exchange.isNeeded()) setForms(first, count);
        });
        if (exchange.isNeeded()) {
            exchange.combine(layout.elementsPerChannel(), {sums, channels});
            setForms(0, layout.channels);
        }
        forms.apply(c, layout);
    };
    return makeKernel(std::move(run), {.mayShare = {{0, 0}}, .scratchBytes = scratch.bytes()},
                      {.finishesParts = true});
}

}  // namespace temper
