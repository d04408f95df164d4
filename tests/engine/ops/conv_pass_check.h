// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "engine/core/random.h"
#include "engine/core/tensor.h"
#include "engine/ops/conv/conv_direct.h"
#include "engine/ops/conv/conv_passes_cpu.h"
#include "engine/runtime/cpu/channel_layout.h"

// For tests that compare the passes of convolutions with the plain definition.

namespace temper {

using Floats = std::vector<float>;

inline WindowAxis axisOf(int64_t input, int64_t kernel, int64_t stride, int64_t padBegin,
                         int64_t padEnd) {
    WindowAxis axis;
    axis.input = input;
    axis.kernel = kernel;
    axis.stride = stride;
    axis.padBegin = padBegin;
    axis.padEnd = padEnd;
    axis.output = (input + padBegin + padEnd - kernel) / stride + 1;
    return axis;
}

inline Floats randomFloats(const Shape& shape, uint64_t seed) {
    Random random(seed);
    Floats values(static_cast<size_t>(numElements(shape)));
    for (float& value : values) value = random.uniform() * 2 - 1;
    return values;
}

/// The plain definition in double precision.
struct Expected {
    explicit Expected(const ConvGeometry& g)
        : x(randomFloats(g.imageShape(), 1)),
          w(randomFloats(g.weightShape(), 2)),
          dy(randomFloats(g.featureShape(), 3)),
          bias(randomFloats({g.features}, 4)),
          y(dy.size()),
          dx(x.size()),
          dw(w.size()) {
        const std::vector<double> wideX(x.begin(), x.end()), wideW(w.begin(), w.end()),
            wideDy(dy.begin(), dy.end());
        ThreadPool pool(1);
        const DirectConv conv(g);
        convForwardDirect(conv, pool, wideX.data(), wideW.data(), y.data());
        convBackwardDataDirect(conv, wideDy.data(), wideW.data(), dx.data());
        convBackwardWeightsDirect(conv, wideX.data(), wideDy.data(), dw.data());
        const size_t plane = y.size() / static_cast<size_t>(g.batch * g.features);
        for (size_t i = 0; i < y.size(); ++i)
            y[i] += bias[i / plane % static_cast<size_t>(g.features)];
    }

    Floats x, w, dy, bias;
    std::vector<double> y, dx, dw;
};

/// Scratch memory whose initial content would show in any result.
inline std::shared_ptr<std::byte> poisoned(size_t bytes) {
    std::shared_ptr<std::byte> memory = allocateAligned(bytes);
    std::fill_n(reinterpret_cast<float*>(memory.get()), bytes / sizeof(float),
                std::numeric_limits<float>::quiet_NaN());
    return memory;
}

inline Floats blocked(const Floats& plain, const Shape& shape) {
    Floats result(plain.size());
    ThreadPool pool(1);
    copyToBlocks(pool, plain.data(), result.data(), shape[0] * shape[1] / 16, shape[2] * shape[3]);
    return result;
}

inline Floats plain(const Floats& blocks, const Shape& shape) {
    Floats result(blocks.size());
    ThreadPool pool(1);
    copyFromBlocks(pool, blocks.data(), result.data(), shape[0] * shape[1] / 16,
                   shape[2] * shape[3]);
    return result;
}

/// Results of a pass, which are the same on any number of threads; each element is reported once,
/// when it is complete.
inline Floats run(const ConvDataPass& pass, const Floats& from, const Floats& weights,
                  const float* bias, const Shape& to) {
    Floats first;
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        Floats result(static_cast<size_t>(numElements(to)), -1);
        Floats seen(result.size(), -1);
        std::atomic<int64_t> told = 0;
        const auto finished = [&](int64_t begin, int64_t end) {
            told += end - begin;
            std::copy(result.begin() + begin, result.begin() + end, seen.begin() + begin);
        };
        pass.run(pool, from.data(), weights.data(), bias, result.data(),
                 poisoned(pass.scratchBytes()).get(), RangeFunction(finished));
        if (told != numElements(to) || seen != result) return {};
        if (!first.empty() && first != result) return {};
        first = result;
    }
    return first;
}

inline Floats run(const ConvWeightsPass& pass, const Floats& images, const Floats& features,
                  size_t weights) {
    Floats first;
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        Floats result(weights, -1);
        pass.run(pool, images.data(), features.data(), result.data(),
                 poisoned(pass.scratchBytes()).get());
        if (!first.empty() && first != result) return {};
        first = result;
    }
    return first;
}

/// The largest error, relative to the typical size of the results.
inline double errorOf(const Floats& actual, const std::vector<double>& expected) {
    if (actual.size() != expected.size()) return std::numeric_limits<double>::infinity();
    double squares = 0, largest = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        const double error = std::abs(actual[i] - expected[i]);
        if (!(error <= largest)) largest = error;
        squares += expected[i] * expected[i];
    }
    return largest / std::sqrt(squares / static_cast<double>(expected.size()));
}

inline void verifyClose(const Floats& actual, const std::vector<double>& expected, double tolerance,
                        const char* what) {
    const double error = errorOf(actual, expected);
    QVERIFY2(error < tolerance, qPrintable(QString("%1: %2").arg(what).arg(error)));
}

}  // namespace temper
