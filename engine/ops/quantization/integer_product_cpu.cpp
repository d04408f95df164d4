// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/saturated_cast.h"
#include "engine/core/wrapping.h"
#include "engine/ops/broadcast_cpu.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/quantization/quantization.h"

namespace temper {
namespace {

/// Products of integer matrices [batch, rows, inner] and [batch, inner, columns].
struct IntegerProduct {
    int64_t rows = 1;
    int64_t inner = 1;
    int64_t columns = 1;
    std::vector<int64_t> left;  ///< element where each matrix of the batch begins
    std::vector<int64_t> right;

    static IntegerProduct of(Shape a, Shape b) {
        if (a.size() == 1) a.insert(a.begin(), 1);
        if (b.size() == 1) b.push_back(1);
        IntegerProduct p{a[a.size() - 2], a.back(), b.back(), {}, {}};
        const Shape batchA(a.begin(), a.end() - 2), batchB(b.begin(), b.end() - 2);
        const Shape batch = broadcastShapes(batchA, batchB).value();
        const BroadcastPlan<2> plan(batch, {batchA, batchB});
        plan.forRuns(0, plan.count(), [&](int64_t, int64_t length, const auto& at) {
            for (int64_t i = 0; i < length; ++i) {
                p.left.push_back((at[0] + (plan.isNumber(0) ? 0 : i)) * p.rows * p.inner);
                p.right.push_back((at[1] + (plan.isNumber(1) ? 0 : i)) * p.inner * p.columns);
            }
        });
        return p;
    }

    int64_t lines() const { return static_cast<int64_t>(left.size()) * rows; }
};

/// A number of an input for all, or one for each row (column) of a matrix.
struct PerLine {
    size_t input = 0;
    bool isThere = false;
    bool isOne = true;

    static PerLine of(const PrepareContext& context, size_t input, int64_t lines) {
        if (!context.hasInput(input)) return {};
        const int64_t count = context.input(input).numElements();
        if (count != 1 && count != lines) {
            context.fail(ErrorCode::InvalidInput,
                         "Input " + std::to_string(input) + " has " + counted(count, "number") +
                             "; expected 1 or " + std::to_string(lines) + ".");
        }
        return {input, true, count == 1};
    }

    template <typename T>
    int32_t integer(const RunContext& run, int64_t line) const {
        return isThere ? static_cast<int32_t>(run.in<T>(input)[isOne ? 0 : line]) : 0;
    }
    template <typename T>
    T number(const RunContext& run, int64_t line) const {
        return run.in<T>(input)[isOne ? 0 : line];
    }
};

/// sum over k of (a[k] - zeroA) (b[k, column] - zeroB)
template <typename A, typename B>
int32_t dot(const IntegerProduct& p, const A* a, int32_t zeroA, const B* b, int32_t zeroB) {
    int32_t sum = 0;
    for (int64_t k = 0; k < p.inner; ++k) {
        sum = wrappingAdd(sum, (static_cast<int32_t>(a[k]) - zeroA) *
                                   (static_cast<int32_t>(b[k * p.columns]) - zeroB));
    }
    return sum;
}

/// Which inputs hold what, as MatMulInteger and QLinearMatMul have it.
struct Operands {
    size_t b;
    size_t zeroA;
    size_t zeroB;
};

/// Calls `store(element, sum, row, column)` for every element of the product.
template <typename A, typename B, typename F>
void multiply(const IntegerProduct& p, const Operands& operands, const PerLine& zeroA,
              const PerLine& zeroB, const RunContext& run, F&& store) {
    const int64_t grain =
        std::max<int64_t>(kMapGrain / std::max<int64_t>(p.inner * p.columns, 1), 1);
    run.pool().forRanges(p.lines(), grain, [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) {
            const int64_t row = line % p.rows;
            const auto matrix = static_cast<size_t>(line / p.rows);
            const A* a = run.in<A>(0) + p.left[matrix] + row * p.inner;
            const B* b = run.in<B>(operands.b) + p.right[matrix];
            for (int64_t column = 0; column < p.columns; ++column) {
                store(line * p.columns + column,
                      dot(p, a, zeroA.integer<A>(run, row), b + column,
                          zeroB.integer<B>(run, column)),
                      row, column);
            }
        }
    });
}

template <typename F>
std::unique_ptr<Kernel> visitByte(const PrepareContext& context, DType dtype, F&& f) {
    return visitTypes<uint8_t, int8_t>(context, dtype, "int8 or uint8", std::forward<F>(f));
}

template <typename F>
std::unique_ptr<Kernel> visitBytes(const PrepareContext& context, size_t b, F&& f) {
    return visitByte(context, context.input(0).dtype, [&]<typename A>() {
        return visitByte(context, context.input(b).dtype,
                         [&]<typename B>() { return f.template operator()<A, B>(); });
    });
}

std::unique_ptr<Kernel> prepareMatMulInteger(const PrepareContext& context) {
    const Operands operands{1, 2, 3};
    IntegerProduct p = IntegerProduct::of(context.input(0).shape, context.input(1).shape);
    const PerLine zeroA = PerLine::of(context, 2, p.rows),
                  zeroB = PerLine::of(context, 3, p.columns);
    return visitBytes(context, 1, [&]<typename A, typename B>() {
        return makeKernel([=, p = std::move(p)](const RunContext& run) {
            auto* y = run.out<int32_t>(0);
            multiply<A, B>(p, operands, zeroA, zeroB, run,
                           [&](int64_t i, int32_t sum, int64_t, int64_t) { y[i] = sum; });
        });
    });
}

/// y = saturate(round(sum scaleA scaleB / scaleY) + zeroY)
template <typename A, typename B, typename Y, typename S>
std::unique_ptr<Kernel> quantizedMatMul(const PrepareContext& context) {
    const Operands operands{3, 2, 5};
    IntegerProduct p = IntegerProduct::of(context.input(0).shape, context.input(3).shape);
    const PerLine zeroA = PerLine::of(context, 2, p.rows),
                  zeroB = PerLine::of(context, 5, p.columns);
    const PerLine scaleA = PerLine::of(context, 1, p.rows),
                  scaleB = PerLine::of(context, 4, p.columns);
    const PerLine scaleY = PerLine::of(context, 6, p.rows), zeroY = PerLine::of(context, 7, p.rows);
    return makeKernel([=, p = std::move(p)](const RunContext& run) {
        constexpr S kLow = std::numeric_limits<Y>::lowest(), kHigh = std::numeric_limits<Y>::max();
        Y* y = run.out<Y>(0);
        multiply<A, B>(p, operands, zeroA, zeroB, run,
                       [&](int64_t i, int32_t sum, int64_t row, int64_t column) {
                           const S scale = scaleA.number<S>(run, row) *
                                           scaleB.number<S>(run, column) /
                                           scaleY.number<S>(run, row);
                           const S q = std::nearbyint(static_cast<S>(sum) * scale) +
                                       static_cast<S>(zeroY.integer<Y>(run, row));
                           y[i] = saturatedCast<Y>(std::clamp(q, kLow, kHigh));
                       });
    });
}

std::unique_ptr<Kernel> prepareQLinearMatMul(const PrepareContext& context) {
    for (const size_t input : {4, 6}) context.requireDType(input, context.input(1).dtype);
    context.requireDType(2, context.input(0).dtype);
    context.requireDType(5, context.input(3).dtype);
    return visitFloating(context, context.input(1).dtype, [&]<typename S>() {
        return visitByte(context, context.output(0).dtype, [&]<typename Y>() {
            return visitBytes(context, 3, [&]<typename A, typename B>() {
                return quantizedMatMul<A, B, Y, S>(context);
            });
        });
    });
}

}  // namespace

void addIntegerProductKernels(KernelRegistry& kernels) {
    kernels.add("", "MatMulInteger", prepareMatMulInteger);
    kernels.add("", "QLinearMatMul", prepareQLinearMatMul);
}

}  // namespace temper
