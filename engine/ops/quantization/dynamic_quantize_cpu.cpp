// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/ops/map_cpu.h"
#include "engine/ops/quantization/quantization.h"

namespace temper {
namespace {

constexpr int64_t kMaxTasks = 64;

/// The smallest and the largest of the elements of x and 0.
template <typename T>
std::pair<T, T> extremes(const T* x, int64_t count, T* parts, const RunContext& run) {
    const int64_t tasks = std::clamp<int64_t>(count / kMapGrain, 1, kMaxTasks);
    run.pool().forEach(tasks, [&](int64_t task) {
        T low{0}, high{0};
        for (int64_t i = count * task / tasks; i < count * (task + 1) / tasks; ++i) {
            low = std::min(low, x[i]);
            high = std::max(high, x[i]);
        }
        parts[2 * task] = low;
        parts[2 * task + 1] = high;
    });
    T low{0}, high{0};
    for (int64_t task = 0; task < tasks; ++task) {
        low = std::min(low, parts[2 * task]);
        high = std::max(high, parts[2 * task + 1]);
    }
    return {low, high};
}

/// scale = (max - min) / 255, zero = round(-min / scale), y = saturate(round(x / scale) + zero).
/// Source: ONNX, operator DynamicQuantizeLinear.
template <typename T>
std::unique_ptr<Kernel> dynamicQuantizeKernel(const PrepareContext& context) {
    KernelTraits traits;
    traits.scratchBytes = 2 * kMaxTasks * sizeof(T);
    const int64_t count = context.input(0).numElements();
    return makeKernel(
        [count, hasScale = context.hasOutput(1), hasZero = context.hasOutput(2),
         hasData = context.hasOutput(0)](const RunContext& run) {
            constexpr T kHigh{255};
            const T* x = run.in<T>(0);
            const auto [low, high] = extremes(x, count, reinterpret_cast<T*>(run.scratch()), run);
            const T scale = (high - low) / kHigh;
            const T zero =
                scale > T{0} ? std::clamp(std::nearbyint(-low / scale), T{0}, kHigh) : T{0};
            if (hasScale) *run.out<T>(1) = scale;
            if (hasZero) *run.out<uint8_t>(2) = static_cast<uint8_t>(zero);
            if (!hasData) return;
            uint8_t* y = run.out<uint8_t>(0);
            run.pool().forRanges(count, kMapGrain, [&, scale](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    const T q = scale > T{0} ? std::nearbyint(x[i] / scale) + zero : zero;
                    y[i] = static_cast<uint8_t>(q > T{0} ? std::min(q, kHigh) : T{0});
                }
            });
        },
        std::move(traits));
}

std::unique_ptr<Kernel> prepareDynamicQuantize(const PrepareContext& context) {
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return dynamicQuantizeKernel<T>(context); });
}

}  // namespace

void addDynamicQuantizeKernels(KernelRegistry& kernels) {
    kernels.add("", "DynamicQuantizeLinear", prepareDynamicQuantize);
}

}  // namespace temper
