// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/ops/map_cpu.h"
#include "engine/ops/quantization/quantization.h"

namespace temper {
namespace {

void requireOne(const PrepareContext& context, size_t input) {
    context.requireDType(input, context.input(0).dtype);
    if (context.input(input).numElements() == 1) return;
    context.fail(ErrorCode::InvalidInput, "Input " + std::to_string(input) + " has the shape " +
                                              formatShape(context.input(input).shape) +
                                              "; expected one number.");
}

/// q = round(x / scale) + zero; y = (clamp(q) - zero) scale; mask = low <= q <= high.
/// Source: ONNX Runtime, com.microsoft.FakeQuant.
template <typename T>
std::unique_ptr<Kernel> fakeQuantKernel(const PrepareContext& context) {
    const FakeQuantRange range = FakeQuantRange::of(context.node());
    const int64_t count = context.output(0).numElements();
    return makeKernel(
        [count, low = static_cast<T>(range.low), high = static_cast<T>(range.high),
         hasMask = context.hasOutput(1)](const RunContext& run) {
            const T *x = run.in<T>(0), scale = *run.in<T>(1), zero = *run.in<T>(2);
            T* y = run.out<T>(0);
            bool* mask = hasMask ? run.out<bool>(1) : nullptr;
            run.pool().forRanges(count, kMapGrain, [=](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    const T q = std::nearbyint(x[i] / scale) + zero;
                    y[i] = (std::clamp(q, low, high) - zero) * scale;
                    if (mask != nullptr) mask[i] = q >= low && q <= high;
                }
            });
        },
        {.mayShare = {{0, 0}}});
}

std::unique_ptr<Kernel> prepareFakeQuant(const PrepareContext& context) {
    requireOne(context, 1);
    requireOne(context, 2);
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return fakeQuantKernel<T>(context); });
}

/// dx = dy where the mask is true, else 0
std::unique_ptr<Kernel> prepareFakeQuantGrad(const PrepareContext& context) {
    context.requireDType(1, DType::Bool);
    if (context.input(1).shape != context.input(0).shape) {
        context.fail(ErrorCode::InvalidInput,
                     "The mask has the shape " + formatShape(context.input(1).shape) +
                         "; expected " + formatShape(context.input(0).shape) + ".");
    }
    const int64_t count = context.output(0).numElements();
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel(
            [count](const RunContext& run) {
                const T* dy = run.in<T>(0);
                const bool* mask = run.in<bool>(1);
                T* dx = run.out<T>(0);
                run.pool().forRanges(count, kMapGrain, [=](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) dx[i] = mask[i] ? dy[i] : T{0};
                });
            },
            {.mayShare = {{0, 0}}});
    });
}

}  // namespace

void addFakeQuantKernels(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "FakeQuant", prepareFakeQuant);
    kernels.add(kMicrosoftDomain, "FakeQuantGrad", prepareFakeQuantGrad);
}

}  // namespace temper
