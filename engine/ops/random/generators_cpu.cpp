// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "engine/core/random.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/random/random.h"

namespace temper {
namespace {

/// In [0, 1), with 53 bits: number `index` of a stream.
double uniformAt(uint64_t seed, uint64_t index) {
    return static_cast<double>(Random::at(seed, index) >> 11) * 0x1.0p-53;
}

/// Standard normal. Source: Box & Muller (1958).
double normalAt(uint64_t seed, uint64_t index) {
    const double u = uniformAt(seed, 2 * index) + 0x1.0p-54;
    const double v = uniformAt(seed, 2 * index + 1);
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

/// The attribute `seed`, a float, as part of the stream's number.
uint64_t ownSeed(const Node& node) {
    return std::bit_cast<uint32_t>(node.attribute<float>("seed", 0.0F));
}

/// Writes draw(seed, index) to every element, in the output's type.
template <typename F>
std::unique_ptr<Kernel> generator(const PrepareContext& context, F draw) {
    KernelTraits traits;
    traits.isRandom = true;
    const int64_t count = context.output(0).numElements();
    return visitFloating(context, context.output(0).dtype, [&]<typename T>() {
        return makeKernel(
            [count, draw, own = ownSeed(context.node())](const RunContext& run) {
                const uint64_t seed = Random::at(run.seed(), own);
                T* y = run.out<T>(0);
                run.pool().forRanges(count, kSlowMapGrain, [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                        y[i] = static_cast<T>(draw(seed, static_cast<uint64_t>(i)));
                    }
                });
            },
            traits);
    });
}

std::unique_ptr<Kernel> prepareNormal(const PrepareContext& context) {
    const auto mean = static_cast<double>(context.node().attribute<float>("mean", 0.0F));
    const auto scale = static_cast<double>(context.node().attribute<float>("scale", 1.0F));
    return generator(context, [=](uint64_t seed, uint64_t index) {
        return mean + scale * normalAt(seed, index);
    });
}

std::unique_ptr<Kernel> prepareUniform(const PrepareContext& context) {
    const auto low = static_cast<double>(context.node().attribute<float>("low", 0.0F));
    const auto high = static_cast<double>(context.node().attribute<float>("high", 1.0F));
    return generator(context, [=](uint64_t seed, uint64_t index) {
        return low + (high - low) * uniformAt(seed, index);
    });
}

/// 1 with the probability that the input gives, else 0.
std::unique_ptr<Kernel> prepareBernoulli(const PrepareContext& context) {
    KernelTraits traits;
    traits.isRandom = true;
    const int64_t count = context.output(0).numElements();
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return visitDType(context.output(0).dtype, [&]<typename R>() {
            return makeKernel(
                [count, own = ownSeed(context.node())](const RunContext& run) {
                    const uint64_t seed = Random::at(run.seed(), own);
                    const T* p = run.in<T>(0);
                    R* y = run.out<R>(0);
                    run.pool().forRanges(count, kSlowMapGrain, [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                            const double number = uniformAt(seed, static_cast<uint64_t>(i));
                            y[i] = static_cast<R>(number < static_cast<double>(p[i]));
                        }
                    });
                },
                traits);
        });
    });
}

/// Draws classes of one row with probabilities proportional to exp(scores).
template <typename T, typename R>
struct RowSampler {
    int64_t classes;
    int64_t samples;
    uint64_t seed;

    /// `sums`: room for `classes` numbers.
    void draw(const T* scores, double* sums, R* y, int64_t row) const {
        const double largest = static_cast<double>(*std::max_element(scores, scores + classes));
        double sum = 0;
        for (int64_t k = 0; k < classes; ++k) {
            sum += std::exp(static_cast<double>(scores[k]) - largest);
            sums[k] = sum;
        }
        for (int64_t i = 0; i < samples; ++i) {
            const double number = sum * uniformAt(seed, static_cast<uint64_t>(row * samples + i));
            const double* found = std::upper_bound(sums, sums + classes, number);
            y[i] = static_cast<R>(std::min<int64_t>(found - sums, classes - 1));
        }
    }
};

template <typename T, typename R>
std::unique_ptr<Kernel> multinomialKernel(const PrepareContext& context) {
    const Shape& shape = context.input(0).shape;
    const int64_t rows = shape[0], classes = shape[1];
    const int64_t samples = context.output(0).shape[1];
    if (classes == 0 && rows * samples > 0) {
        context.fail(ErrorCode::InvalidInput, "No classes to draw from.");
    }
    KernelTraits traits;
    traits.isRandom = true;
    traits.scratchBytes = static_cast<size_t>(rows * classes) * sizeof(double);
    return makeKernel(
        [rows, classes, samples, own = ownSeed(context.node())](const RunContext& run) {
            const RowSampler<T, R> sampler{classes, samples, Random::at(run.seed(), own)};
            auto* sums = reinterpret_cast<double*>(run.scratch());
            const T* scores = run.in<T>(0);
            R* y = run.out<R>(0);
            run.pool().forRanges(rows, 1, [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; samples > 0 && row < end; ++row) {
                    sampler.draw(scores + row * classes, sums + row * classes, y + row * samples,
                                 row);
                }
            });
        },
        traits);
}

std::unique_ptr<Kernel> prepareMultinomial(const PrepareContext& context) {
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return visitIndex(context, context.output(0).dtype,
                          [&]<typename Index>() { return multinomialKernel<T, Index>(context); });
    });
}

}  // namespace

void registerGeneratorKernels(KernelRegistry& kernels) {
    kernels.add("", "RandomNormal", prepareNormal);
    kernels.add("", "RandomNormalLike", prepareNormal);
    kernels.add("", "RandomUniform", prepareUniform);
    kernels.add("", "RandomUniformLike", prepareUniform);
    kernels.add("", "Bernoulli", prepareBernoulli);
    kernels.add("", "Multinomial", prepareMultinomial);
}

}  // namespace temper
