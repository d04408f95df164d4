// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/ops/activation/activation.h"
#include "engine/ops/activation/activation_loops_cpu.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

/// Rows of the data per task.
int64_t rowGrain(int64_t length) {
    return std::max<int64_t>(1, kMapGrain / std::max<int64_t>(1, length));
}

int64_t rowLength(const PrepareContext& context, size_t data, size_t bias) {
    for (size_t i = 0; i <= bias; ++i) context.requireDType(i, DType::Float32);
    const Shape& shape = context.input(data).shape;
    const Shape& biasShape = context.input(bias).shape;
    if (shape.empty() || biasShape.size() != 1 || biasShape.front() != shape.back()) {
        context.fail(ErrorCode::InvalidInput, "The bias has the shape " + formatShape(biasShape) +
                                                  "; expected the last dimension of " +
                                                  formatShape(shape) + ".");
    }
    return shape.back();
}

/// y = f(x + bias), row by row.
KernelFactory biasForward(simd::ActivationLoop loop) {
    return [loop](const PrepareContext& context) {
        const int64_t length = rowLength(context, 0, 1);
        const int64_t count = context.output(0).numElements();
        return makeKernel(
            [=](const RunContext& run) {
                const float* x = run.in<float>(0);
                const float* bias = run.in<float>(1);
                float* y = run.out<float>(0);
                const int64_t rows = length == 0 ? 0 : count / length;
                run.pool().forRanges(rows, rowGrain(length), [=](int64_t begin, int64_t end) {
                    for (int64_t at = begin * length; at < end * length; at += length) {
                        simd::add({x + at}, {bias}, y + at, length);
                        loop(y + at, y + at, length, {});
                    }
                });
            },
            {.mayShare = {{0, 0}}});
    };
}

/// One row of dX = dY f'(X + bias), in blocks that fit the stack.
void backwardRow(simd::BackwardLoop loop, const float* dy, const float* x, const float* bias,
                 float* dx, int64_t length) {
    constexpr int64_t kBlock = 512;
    float argument[kBlock];
    for (int64_t i = 0; i < length; i += kBlock) {
        const int64_t count = std::min(kBlock, length - i);
        simd::add({x + i}, {bias + i}, argument, count);
        loop(dy + i, argument, dx + i, count, {});
    }
}

KernelFactory biasBackward(simd::BackwardLoop loop) {
    return [loop](const PrepareContext& context) {
        const int64_t length = rowLength(context, 1, 2);
        const int64_t count = context.output(0).numElements();
        if (context.input(0).shape != context.input(1).shape) {
            context.fail(ErrorCode::InvalidInput,
                         "The shapes are " + formatShape(context.input(0).shape) + " and " +
                             formatShape(context.input(1).shape) + "; expected equal ones.");
        }
        return makeKernel(
            [=](const RunContext& run) {
                const float* dy = run.in<float>(0);
                const float* x = run.in<float>(1);
                const float* bias = run.in<float>(2);
                float* dx = run.out<float>(0);
                const int64_t rows = length == 0 ? 0 : count / length;
                run.pool().forRanges(rows, rowGrain(length), [=](int64_t begin, int64_t end) {
                    for (int64_t at = begin * length; at < end * length; at += length) {
                        backwardRow(loop, dy + at, x + at, bias, dx + at, length);
                    }
                });
            },
            {.mayShare = {{0, 0}, {1, 0}}});
    };
}

KernelFactory plainFastGelu() {
    const auto loop = [](const float* x, float* y, int64_t count) {
        simd::fastGelu(x, y, count, {});
    };
    return floatingUnary(loop, [](auto x) {
        const double wide = static_cast<double>(x);
        const double inner =
            std::sqrt(2.0 / std::numbers::pi) * (wide + 0.044715 * wide * wide * wide);
        return static_cast<decltype(x)>(0.5 * wide * (1.0 + std::tanh(inner)));
    });
}

}  // namespace

void registerBiasActivationKernels(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "BiasGelu", biasForward(simd::gelu));
    kernels.add(kMicrosoftDomain, "FastGelu",
                [plain = plainFastGelu(),
                 biased = biasForward(simd::fastGelu)](const PrepareContext& context) {
                    return context.hasInput(1) ? biased(context) : plain(context);
                });
    kernels.add(kMicrosoftDomain, "BiasGeluGrad_dX", biasBackward(simd::geluGrad));
    kernels.add(kMicrosoftDomain, "BiasFastGeluGrad_dX", biasBackward(simd::fastGeluGrad));
}

}  // namespace temper
