// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/ops/broadcast_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/ops/visit_types_cpu.h"
#include "engine/runtime/kernel.h"
#include "engine/runtime/kernels/elementwise_kernel.h"

namespace temper {

// Kernels that compute each element of the output from the elements at the same index.

/// Elements per task: enough work to be worth a thread, the same on every machine.
inline constexpr int64_t kMapGrain = 16384;
/// For functions that take tens of nanoseconds per element.
inline constexpr int64_t kSlowMapGrain = 2048;

/// y[i] = f(x[i]) over float arrays; y may be x.
using FloatLoop = void (*)(const float* x, float* y, int64_t count);
/// out[i] = a[i] op b[i]; out may be a or b.
using FloatPairLoop = void (*)(simd::Operand a, simd::Operand b, float* out, int64_t count);

/// The form of a kernel that reads the inputs [0, inputs); omitted ones and those of one element
/// count as numbers.
inline ElementwiseKernel::Form elementwiseForm(const PrepareContext& context, size_t inputs,
                                               int64_t grain) {
    const TensorType& output = context.output(0);
    ElementwiseKernel::Form form{output.numElements(), dtypeSize(output.dtype), {}, grain};
    for (size_t i = 0; i < inputs; ++i) {
        if (context.hasInput(i)) {
            const TensorType& input = context.input(i);
            form.operands.push_back({dtypeSize(input.dtype), input.numElements() != form.count});
        } else {
            form.operands.push_back({0, true});
        }
    }
    return form;
}

/// The form of a kernel that broadcasts the inputs [0, N) row by row; empty if their axes alternate
/// too often for rows.
template <size_t N>
std::optional<RowForm> broadcastForm(const PrepareContext& context, const BroadcastPlan<N>& plan,
                                     int64_t grain) {
    const TensorType& output = context.output(0);
    RowForm form{0, plan.inner(), dtypeSize(output.dtype), plan.inner(), false, {}, grain};
    if (output.numElements() == 0) return std::nullopt;
    form.rows = output.numElements() / form.columns;
    for (size_t i = 0; i < N; ++i) {
        const auto rows = plan.rowsOf(i);
        if (!rows) return std::nullopt;
        form.operands.push_back({dtypeSize(context.input(i).dtype),
                                 plan.isNumber(i) ? 1 : form.columns, rows->repeats, rows->period});
    }
    return form;
}

/// Whether each of the inputs [0, inputs) is as large as the output or one number.
inline bool isElementwise(const PrepareContext& context, size_t inputs) {
    if (inputs > ElementwiseKernel::kMaxOperands) return false;
    const int64_t count = context.output(0).numElements();
    for (size_t i = 0; i < inputs; ++i) {
        const int64_t elements = context.input(i).numElements();
        if (elements != count && elements != 1) return false;
    }
    return true;
}

/// y = f(x), element by element.
template <typename T, typename R = T, typename F>
std::unique_ptr<Kernel> unaryKernel(const PrepareContext& context, F f, int64_t grain = kMapGrain) {
    std::vector<std::pair<size_t, size_t>> mayShare;
    if (sizeof(T) == sizeof(R)) mayShare = {{0, 0}};
    return makeElementwise(
        elementwiseForm(context, 1, grain),
        [f](const void* const* inputs, void* output, int64_t count) {
            const T* x = static_cast<const T*>(inputs[0]);
            R* y = static_cast<R*>(output);
            for (int64_t i = 0; i < count; ++i) y[i] = static_cast<R>(f(x[i]));
        },
        std::move(mayShare));
}

inline std::unique_ptr<Kernel> floatLoopKernel(const PrepareContext& context, FloatLoop loop) {
    return makeElementwise(elementwiseForm(context, 1, kMapGrain),
                           [loop](const void* const* inputs, void* output, int64_t count) {
                               loop(static_cast<const float*>(inputs[0]),
                                    static_cast<float*>(output), count);
                           },
                           {{0, 0}});
}

/// A factory for float32 and float64; `f` computes in the type that it is given.
template <typename F>
KernelFactory floatingUnary(F f, int64_t grain = kSlowMapGrain) {
    return [=](const PrepareContext& context) {
        return visitFloating(context, context.input(0).dtype,
                             [&]<typename T>() { return unaryKernel<T>(context, f, grain); });
    };
}

/// The same with a vectorized loop for float32.
template <typename F>
KernelFactory floatingUnary(FloatLoop loop, F f) {
    return [=](const PrepareContext& context) {
        if (context.input(0).dtype == DType::Float32) return floatLoopKernel(context, loop);
        return floatingUnary(f)(context);
    };
}

/// Which of the inputs [0, N) the output may overwrite: those of its size that are not broadcast.
template <size_t N>
std::vector<std::pair<size_t, size_t>> shareable(const PrepareContext& context) {
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t k = 0; k < N; ++k) {
        if (context.input(k).byteSize() == context.output(0).byteSize() &&
            context.input(k).numElements() == context.output(0).numElements()) {
            pairs.emplace_back(k, 0);
        }
    }
    return pairs;
}

/// The broadcast of inputs [0, N) to output 0.
template <size_t N>
BroadcastPlan<N> broadcastPlan(const PrepareContext& context) {
    std::array<Shape, N> shapes;
    for (size_t k = 0; k < N; ++k) shapes[k] = context.input(k).shape;
    return BroadcastPlan<N>(context.output(0).shape, shapes);
}

template <typename A, typename B, typename R, typename F>
void mapPairs(const A* a, bool aIsNumber, const B* b, bool bIsNumber, R* out, int64_t count,
              const F& f) {
    if (aIsNumber && bIsNumber) {
        std::fill(out, out + count, static_cast<R>(f(*a, *b)));
    } else if (aIsNumber) {
        const A number = *a;
        for (int64_t i = 0; i < count; ++i) out[i] = static_cast<R>(f(number, b[i]));
    } else if (bIsNumber) {
        const B number = *b;
        for (int64_t i = 0; i < count; ++i) out[i] = static_cast<R>(f(a[i], number));
    } else {
        for (int64_t i = 0; i < count; ++i) out[i] = static_cast<R>(f(a[i], b[i]));
    }
}

/// out = f(a, b) with broadcasting.
template <typename A, typename B, typename R, typename F>
std::unique_ptr<Kernel> binaryKernel(const PrepareContext& context, F f,
                                     int64_t grain = kMapGrain) {
    if (isElementwise(context, 2)) {
        auto form = elementwiseForm(context, 2, grain);
        const bool aIsNumber = form.operands[0].isNumber, bIsNumber = form.operands[1].isNumber;
        return makeElementwise(
            std::move(form),
            [=](const void* const* inputs, void* output, int64_t count) {
                mapPairs(static_cast<const A*>(inputs[0]), aIsNumber,
                         static_cast<const B*>(inputs[1]), bIsNumber, static_cast<R*>(output),
                         count, f);
            },
            shareable<2>(context));
    }
    const auto plan = broadcastPlan<2>(context);
    if (auto form = broadcastForm(context, plan, grain)) {
        const bool aIsNumber = plan.isNumber(0), bIsNumber = plan.isNumber(1);
        return makeRowKernel(
            *std::move(form),
            [=](const void* const* inputs, void* output, int64_t count) {
                mapPairs(static_cast<const A*>(inputs[0]), aIsNumber,
                         static_cast<const B*>(inputs[1]), bIsNumber, static_cast<R*>(output),
                         count, f);
            },
            shareable<2>(context));
    }
    return makeKernel(
        [=](const RunContext& run) {
            const A* a = run.in<A>(0);
            const B* b = run.in<B>(1);
            R* out = run.out<R>(0);
            run.pool().forRanges(plan.count(), grain, [&](int64_t begin, int64_t end) {
                plan.forRuns(begin, end, [&](int64_t first, int64_t length, const auto& at) {
                    mapPairs(a + at[0], plan.isNumber(0), b + at[1], plan.isNumber(1), out + first,
                             length, f);
                });
            });
        },
        {.mayShare = shareable<2>(context)});
}

/// out = a op b in rows: a or b is a number for each row, or a row.
inline std::unique_ptr<Kernel> floatPairRows(RowForm form, FloatPairLoop loop, bool aIsNumber,
                                             bool bIsNumber,
                                             std::vector<std::pair<size_t, size_t>> mayShare) {
    return makeRowKernel(
        std::move(form),
        [=](const void* const* inputs, void* output, int64_t count) {
            loop({static_cast<const float*>(inputs[0]), aIsNumber},
                 {static_cast<const float*>(inputs[1]), bIsNumber}, static_cast<float*>(output),
                 count);
        },
        std::move(mayShare));
}

inline std::unique_ptr<Kernel> floatPairKernel(const PrepareContext& context, FloatPairLoop loop) {
    if (isElementwise(context, 2)) {
        auto form = elementwiseForm(context, 2, kMapGrain);
        const bool aIsNumber = form.operands[0].isNumber, bIsNumber = form.operands[1].isNumber;
        return makeElementwise(
            std::move(form),
            [=](const void* const* inputs, void* output, int64_t count) {
                loop({static_cast<const float*>(inputs[0]), aIsNumber},
                     {static_cast<const float*>(inputs[1]), bIsNumber}, static_cast<float*>(output),
                     count);
            },
            shareable<2>(context));
    }
    const auto plan = broadcastPlan<2>(context);
    if (auto form = broadcastForm(context, plan, kMapGrain)) {
        return floatPairRows(*std::move(form), loop, plan.isNumber(0), plan.isNumber(1),
                             shareable<2>(context));
    }
    return makeKernel(
        [=](const RunContext& run) {
            const float* a = run.in<float>(0);
            const float* b = run.in<float>(1);
            float* out = run.out<float>(0);
            run.pool().forRanges(plan.count(), kMapGrain, [&](int64_t begin, int64_t end) {
                plan.forRuns(begin, end, [&](int64_t first, int64_t length, const auto& at) {
                    loop({a + at[0], plan.isNumber(0)}, {b + at[1], plan.isNumber(1)}, out + first,
                         length);
                });
            });
        },
        {.mayShare = shareable<2>(context)});
}

}  // namespace temper
