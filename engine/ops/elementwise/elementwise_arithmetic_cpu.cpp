// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/core/saturated_cast.h"
#include "engine/core/wrapping.h"
#include "engine/ops/elementwise/channel_scaling_cpu.h"
#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

struct AddNumbers {
    template <typename T>
    T operator()(T a, T b) const {
        return wrappingAdd(a, b);
    }
};

struct SubtractNumbers {
    template <typename T>
    T operator()(T a, T b) const {
        return wrappingSubtract(a, b);
    }
};

struct MultiplyNumbers {
    template <typename T>
    T operator()(T a, T b) const {
        return wrappingMultiply(a, b);
    }
};

[[noreturn]] void failZeroDivisor(const std::string& node) {
    Error error(ErrorCode::Numeric, "Integer division by zero.", "Check the divisor's data.");
    error.addContext(node);
    throw error;
}

/// Truncates towards zero for integers.
template <typename T>
T quotient(T a, T b, const std::string& node) {
    if constexpr (std::is_floating_point_v<T>) {
        return a / b;
    } else {
        if (b == 0) failZeroDivisor(node);
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return wrappingSubtract(T{0}, a);
        }
        return static_cast<T>(a / b);
    }
}

/// The sign of the divisor, as in Python's %; or of the dividend (`likeC`), as in C's fmod.
template <typename T>
T remainder(T a, T b, bool likeC, const std::string& node) {
    if constexpr (std::is_floating_point_v<T>) {
        const T rest = std::fmod(a, b);
        if (likeC || std::isnan(rest)) return rest;
        if (rest == 0) return std::copysign(rest, b);
        return (rest < 0) != (b < 0) ? rest + b : rest;
    } else {
        if (b == 0) failZeroDivisor(node);
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return 0;
            const T rest = static_cast<T>(a % b);
            return static_cast<T>(!likeC && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
        }
        return static_cast<T>(a % b);
    }
}

template <typename F>
KernelFactory arithmetic(FloatPairLoop loop, F f) {
    return [=](const PrepareContext& context) {
        const DType dtype = context.input(0).dtype;
        context.requireDType(1, dtype);
        if (dtype == DType::Float32) return floatPairKernel(context, loop);
        return visitNumeric(context, dtype,
                            [&]<typename T>() { return binaryKernel<T, T, T>(context, f); });
    };
}

std::unique_ptr<Kernel> prepareMul(const PrepareContext& context) {
    const bool areFloats =
        context.input(0).dtype == DType::Float32 && context.input(1).dtype == DType::Float32;
    if (auto scaling = areFloats ? makeChannelScaling(context) : nullptr) return scaling;
    return arithmetic(simd::multiply, MultiplyNumbers())(context);
}

std::unique_ptr<Kernel> prepareDiv(const PrepareContext& context) {
    const DType dtype = context.input(0).dtype;
    context.requireDType(1, dtype);
    if (dtype == DType::Float32) return floatPairKernel(context, simd::divide);
    return visitNumeric(context, dtype, [&]<typename T>() {
        return binaryKernel<T, T, T>(
            context, [node = context.node().describe()](T a, T b) { return quotient(a, b, node); });
    });
}

std::unique_ptr<Kernel> prepareMod(const PrepareContext& context) {
    const DType dtype = context.input(0).dtype;
    context.requireDType(1, dtype);
    const bool likeC = context.node().attribute<int64_t>("fmod", 0) != 0;
    constexpr int64_t kFirstOfReals = 28;
    if (isFloating(dtype) && !likeC && context.opset() < kFirstOfReals) {
        context.fail(ErrorCode::InvalidInput,
                     "Attribute 'fmod' is 0 for floating-point numbers; expected 1, or opset " +
                         std::to_string(kFirstOfReals) + " or newer.",
                     "Set fmod = 1, or compute with integers.");
    }
    return visitNumeric(context, dtype, [&]<typename T>() {
        return binaryKernel<T, T, T>(context, [likeC, node = context.node().describe()](T a, T b) {
            return remainder(a, b, likeC, node);
        });
    });
}

/// Exact for integers with exponents >= 0 (wrapping around), through double otherwise.
template <typename T, typename E>
T power(T base, E exponent) {
    if constexpr (std::is_floating_point_v<T>) {
        const T wide = static_cast<T>(exponent);
        if (wide == T{2}) return base * base;
        if (wide == T{1}) return base;
        return std::pow(base, wide);
    } else if constexpr (std::is_integral_v<E>) {
        if (std::is_signed_v<E> && exponent < E{0}) {
            return saturatedCast<T>(
                std::pow(static_cast<double>(base), static_cast<double>(exponent)));
        }
        uint64_t result = 1;
        auto square = static_cast<uint64_t>(base);
        for (auto rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
            if (rest & 1U) result *= square;
            square *= square;
        }
        return static_cast<T>(result);
    } else {
        return saturatedCast<T>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    }
}

/// The types that Pow is compiled for; others are rare and would multiply its code.
template <typename F>
decltype(auto) visitPowType(const PrepareContext& context, DType dtype, F&& f) {
    return visitTypes<float, double, int32_t, int64_t>(
        context, dtype, "float32, float64, int32 or int64", std::forward<F>(f));
}

template <typename F>
decltype(auto) visitExponentType(const PrepareContext& context, DType dtype, F&& f) {
    return visitTypes<float, double, int32_t, int64_t, uint32_t, uint64_t>(
        context, dtype, "float32, float64 or an integer of 32 or 64 bits", std::forward<F>(f));
}

bool isSquare(const PrepareContext& context) {
    const Tensor* exponent = context.constant(1);
    return context.input(0).dtype == DType::Float32 && exponent != nullptr &&
           exponent->numElements() == 1 && exponent->toDouble() == 2.0 &&
           context.output(0).numElements() == context.input(0).numElements();
}

std::unique_ptr<Kernel> squareKernel(const PrepareContext& context) {
    return floatLoopKernel(context, [](const float* x, float* y, int64_t count) {
        simd::multiply({x}, {x}, y, count);
    });
}

std::unique_ptr<Kernel> preparePow(const PrepareContext& context) {
    if (isSquare(context)) return squareKernel(context);
    return visitPowType(context, context.input(0).dtype, [&]<typename T>() {
        return visitExponentType(context, context.input(1).dtype, [&]<typename E>() {
            return binaryKernel<T, E, T>(
                context, [](T base, E exponent) { return power(base, exponent); }, kSlowMapGrain);
        });
    });
}

}  // namespace

void registerArithmeticKernels(KernelRegistry& kernels) {
    kernels.add("", "Add", arithmetic(simd::add, AddNumbers()));
    kernels.add("", "Sub", arithmetic(simd::subtract, SubtractNumbers()));
    kernels.add("", "Mul", prepareMul);
    kernels.add("", "Div", prepareDiv);
    kernels.add("", "Mod", prepareMod);
    kernels.add("", "Pow", preparePow);
}

}  // namespace temper
