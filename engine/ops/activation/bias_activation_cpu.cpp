// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/ops/activation/activation.h"
#include "engine/ops/activation/activation_loops_cpu.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

// In double precision, for checks.

using ExactFunction = double (*)(double);

const double kRootTwoOverPi = std::sqrt(2.0 / std::numbers::pi);
constexpr double kCubic = 0.044715;

double exactGelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)); }

double exactGeluSlope(double x) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    return 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2)) + x * density;
}

double exactFastGelu(double x) {
    return 0.5 * x * (1.0 + std::tanh(kRootTwoOverPi * (x + kCubic * x * x * x)));
}

double exactFastGeluSlope(double x) {
    const double t = std::tanh(kRootTwoOverPi * (x + kCubic * x * x * x));
    return 0.5 * (1.0 + t + x * (1.0 - t * t) * kRootTwoOverPi * (1.0 + 3.0 * kCubic * x * x));
}

/// Rows of the data per task.
int64_t rowGrain(int64_t length) {
    return std::max<int64_t>(1, kMapGrain / std::max<int64_t>(1, length));
}

int64_t rowLength(const PrepareContext& context, size_t data, size_t bias) {
    const bool isDouble = context.input(data).dtype == DType::Float64;
    const DType dtype = isDouble ? DType::Float64 : DType::Float32;
    for (size_t i = 0; i <= bias; ++i) context.requireDType(i, dtype);
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
KernelFactory biasForward(simd::Activation function, ExactFunction formula) {
    return [=](const PrepareContext& context) {
        const int64_t length = rowLength(context, 0, 1);
        const int64_t count = context.output(0).numElements();
        if (context.input(0).dtype == DType::Float64) {
            return binaryKernel<double, double, double>(
                context, [formula](double x, double bias) { return formula(x + bias); });
        }
        return makeKernel(
            [=](const RunContext& run) {
                const float* x = run.in<float>(0);
                const float* bias = run.in<float>(1);
                float* y = run.out<float>(0);
                const int64_t rows = length == 0 ? 0 : count / length;
                run.pool().forRanges(rows, rowGrain(length), [=](int64_t begin, int64_t end) {
                    for (int64_t at = begin * length; at < end * length; at += length) {
                        simd::add({x + at}, {bias}, y + at, length);
                        simd::activate(function, y + at, y + at, length, {});
                    }
                });
            },
            {.mayShare = {{0, 0}}});
    };
}

/// One row of dX = dY f'(X + bias), in blocks that fit on the stack.
void backwardRow(simd::ActivationGradient gradient, const float* dy, const float* x,
                 const float* bias, float* dx, int64_t length) {
    constexpr int64_t kBlock = 512;
    float argument[kBlock];
    for (int64_t i = 0; i < length; i += kBlock) {
        const int64_t count = std::min(kBlock, length - i);
        simd::add({x + i}, {bias + i}, argument, count);
        simd::activationBackward(gradient, dy + i, argument, dx + i, count, {});
    }
}

std::unique_ptr<Kernel> preciseBackward(ExactFunction slope, int64_t count, int64_t length) {
    return makeKernel(
        [=](const RunContext& run) {
            const double *dy = run.in<double>(0), *x = run.in<double>(1), *bias = run.in<double>(2);
            double* dx = run.out<double>(0);
            run.pool().forRanges(count, kSlowMapGrain, [=](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    dx[i] = dy[i] * slope(x[i] + bias[i % length]);
                }
            });
        },
        {.mayShare = {{0, 0}, {1, 0}}});
}

KernelFactory biasBackward(simd::ActivationGradient gradient, ExactFunction slope) {
    return [=](const PrepareContext& context) {
        const int64_t length = rowLength(context, 1, 2);
        const int64_t count = context.output(0).numElements();
        if (context.input(0).shape != context.input(1).shape) {
            context.fail(ErrorCode::InvalidInput,
                         "The shapes are " + formatShape(context.input(0).shape) + " and " +
                             formatShape(context.input(1).shape) + "; expected equal shapes.");
        }
        if (context.input(0).dtype == DType::Float64) {
            return preciseBackward(slope, count, length);
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
                        backwardRow(gradient, dy + at, x + at, bias, dx + at, length);
                    }
                });
            },
            {.mayShare = {{0, 0}, {1, 0}}});
    };
}

KernelFactory plainFastGelu() {
    const auto loop = [](const float* x, float* y, int64_t count) {
        simd::activate(simd::Activation::FastGelu, x, y, count, {});
    };
    return floatingUnary(loop, [](auto x) {
        return static_cast<decltype(x)>(exactFastGelu(static_cast<double>(x)));
    });
}

}  // namespace

void registerBiasActivationKernels(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "BiasGelu", biasForward(simd::Activation::Gelu, exactGelu));
    kernels.add(
        kMicrosoftDomain, "FastGelu",
        [plain = plainFastGelu(), biased = biasForward(simd::Activation::FastGelu, exactFastGelu)](
            const PrepareContext& context) {
            return context.hasInput(1) ? biased(context) : plain(context);
        });
    kernels.add(kMicrosoftDomain, "BiasGeluGrad_dX",
                biasBackward(simd::ActivationGradient::GeluGrad, exactGeluSlope));
    kernels.add(kMicrosoftDomain, "BiasFastGeluGrad_dX",
                biasBackward(simd::ActivationGradient::FastGeluGrad, exactFastGeluSlope));
}

}  // namespace temper
