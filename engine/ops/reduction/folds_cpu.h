// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/core/saturated_cast.h"
#include "engine/core/wrapping.h"
#include "engine/ops/simd_cpu.h"
#include "engine/ops/visit_types_cpu.h"

namespace temper {

// What a reduction computes: a state, one more element, a run of elements, two states joined, and
// the result of a state over `count` elements. Floating-point numbers are summed in double.

template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

/// A result in the type of the elements.
template <typename T>
T numberOf(double result) {
    if constexpr (std::is_integral_v<T>) {
        return saturatedCast<T>(result);
    } else {
        return static_cast<T>(result);
    }
}

/// Shared by the folds whose state is one number.
template <typename T, typename Fold>
struct NumberFold {
    using State = Accumulator<T>;

    static State run(State state, const T* x, int64_t count) {
        for (int64_t i = 0; i < count; ++i) state = Fold::step(state, x[i]);
        return state;
    }
    static T result(State state, int64_t) { return static_cast<T>(state); }
};

template <typename T>
struct SumFold : NumberFold<T, SumFold<T>> {
    using State = Accumulator<T>;
    static State start() { return 0; }
    static State step(State state, T x) { return wrappingAdd(state, static_cast<State>(x)); }
    static State join(State a, State b) { return wrappingAdd(a, b); }
    static State run(State state, const T* x, int64_t count) {
        if constexpr (isFloat<T>) return state + simd::sum(x, count);
        return NumberFold<T, SumFold>::run(state, x, count);
    }
};

template <typename T>
struct MeanFold : SumFold<T> {
    using State = Accumulator<T>;
    static T result(State state, int64_t count) {
        if (std::is_integral_v<T> && count == 0) return 0;
        return static_cast<T>(state / static_cast<State>(count));
    }
};

template <typename T>
struct LogSumFold : SumFold<T> {
    static T result(Accumulator<T> state, int64_t) {
        return numberOf<T>(std::log(static_cast<double>(state)));
    }
};

template <typename T>
struct L1Fold : NumberFold<T, L1Fold<T>> {
    using State = Accumulator<T>;
    static State start() { return 0; }
    static State step(State state, T x) {
        const auto wide = static_cast<State>(x);
        return wrappingAdd(state, wide < 0 ? wrappingSubtract(State{0}, wide) : wide);
    }
    static State join(State a, State b) { return wrappingAdd(a, b); }
};

template <typename T>
struct SumSquareFold : NumberFold<T, SumSquareFold<T>> {
    using State = Accumulator<T>;
    static State start() { return 0; }
    static State step(State state, T x) {
        const auto wide = static_cast<State>(x);
        return wrappingAdd(state, wrappingMultiply(wide, wide));
    }
    static State join(State a, State b) { return wrappingAdd(a, b); }
    static State run(State state, const T* x, int64_t count) {
        if constexpr (isFloat<T>) return state + simd::sumOfSquares(x, count);
        return NumberFold<T, SumSquareFold>::run(state, x, count);
    }
};

template <typename T>
struct L2Fold : SumSquareFold<T> {
    static T result(Accumulator<T> state, int64_t) {
        return numberOf<T>(std::sqrt(static_cast<double>(state)));
    }
};

template <typename T>
struct ProdFold : NumberFold<T, ProdFold<T>> {
    using State = Accumulator<T>;
    static State start() { return 1; }
    static State step(State state, T x) { return wrappingMultiply(state, static_cast<State>(x)); }
    static State join(State a, State b) { return wrappingMultiply(a, b); }
};

template <typename T>
bool isNaN(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
    return false;
}

/// The largest element (`kIsMax`) or the smallest; NaN if one is among them. The state is of the
/// elements' type: int64 would not hold every uint64.
template <typename T, bool kIsMax>
struct ExtremeFold {
    using State = T;
    static State start() {
        constexpr bool kHasInfinity = std::numeric_limits<T>::has_infinity;
        constexpr T kLow = kHasInfinity ? static_cast<T>(-std::numeric_limits<T>::infinity())
                                        : std::numeric_limits<T>::lowest();
        constexpr T kHigh =
            kHasInfinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
        return kIsMax ? kLow : kHigh;
    }
    static State step(State state, T x) {
        const bool isBeyond = kIsMax ? x > state : x < state;
        return isBeyond || isNaN(x) ? x : state;
    }
    static State join(State a, State b) { return step(a, b); }
    static State run(State state, const T* x, int64_t count) {
        if constexpr (isFloat<T> && kIsMax) return step(state, simd::maximum(x, count));
        for (int64_t i = 0; i < count; ++i) state = step(state, x[i]);
        return state;
    }
    static T result(State state, int64_t) { return state; }
};

template <typename T>
using MaxFold = ExtremeFold<T, true>;
template <typename T>
using MinFold = ExtremeFold<T, false>;

/// The sum of exp(x - maximum) with the maximum so far: nothing overflows.
template <typename T>
struct LogSumExpFold {
    struct State {
        double maximum = -std::numeric_limits<double>::infinity();
        double sum = 0;
    };
    static State start() { return {}; }
    static State step(State state, T x) { return join(state, {static_cast<double>(x), 1.0}); }
    static State join(const State& a, const State& b) {
        const State& high = a.maximum >= b.maximum || isNaN(a.maximum) ? a : b;
        const State& low = &high == &a ? b : a;
        if (low.sum == 0 || (std::isinf(high.maximum) && high.maximum > 0)) return high;
        return {high.maximum, high.sum + low.sum * std::exp(low.maximum - high.maximum)};
    }
    static State run(State state, const T* x, int64_t count) {
        if constexpr (isFloat<T>) {
            const float maximum = simd::maximum(x, count);
            if (std::isfinite(maximum)) {
                return join(state,
                            {static_cast<double>(maximum), simd::sumOfExp(x, maximum, count)});
            }
        }
        for (int64_t i = 0; i < count; ++i) state = step(state, x[i]);
        return state;
    }
    static T result(const State& state, int64_t) {
        if (state.sum == 0) return numberOf<T>(-std::numeric_limits<double>::infinity());
        return numberOf<T>(state.maximum + std::log(state.sum));
    }
};

}  // namespace temper
