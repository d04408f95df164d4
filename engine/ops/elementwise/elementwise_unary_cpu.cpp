// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/core/saturated_cast.h"
#include "engine/core/wrapping.h"
#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

template <typename T>
T absolute(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::abs(x);
    if constexpr (std::is_unsigned_v<T>) return x;
    return x < 0 ? wrappingSubtract(T{0}, x) : x;
}

template <typename T>
T signOf(T x) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(x)) return x;
    }
    return static_cast<T>((x > T{0}) - (x < T{0}));
}

template <typename T>
T negative(T x) {
    if constexpr (std::is_floating_point_v<T>) return -x;
    return wrappingSubtract(T{0}, x);
}

template <typename F>
KernelFactory numericUnary(F f) {
    return [=](const PrepareContext& context) {
        return visitNumeric(context, context.input(0).dtype,
                            [&]<typename T>() { return unaryKernel<T>(context, f); });
    };
}

std::unique_ptr<Kernel> prepareNot(const PrepareContext& context) {
    context.requireDType(0, DType::Bool);
    // A boolean is a byte, 0 or 1: bytes make for wider loops.
    static_assert(sizeof(bool) == 1);
    return unaryKernel<uint8_t>(context, [](uint8_t x) { return x ^ 1U; });
}

std::unique_ptr<Kernel> prepareIsNaN(const PrepareContext& context) {
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return unaryKernel<T, bool>(context, [](T x) { return std::isnan(x); });
    });
}

std::unique_ptr<Kernel> prepareIsInf(const PrepareContext& context) {
    const bool negatives = context.node().attribute<int64_t>("detect_negative", 1) != 0;
    const bool positives = context.node().attribute<int64_t>("detect_positive", 1) != 0;
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return unaryKernel<T, bool>(
            context, [=](T x) { return std::isinf(x) && (x < 0 ? negatives : positives); });
    });
}

/// Shares the memory of its input if the plan allows that, else copies. A sequence is its tensors,
/// an optional its content.
std::unique_ptr<Kernel> prepareIdentity(const PrepareContext& context) {
    if (context.outputs().front().elements.empty())
        return makeKernel([](const RunContext&) {}, {.views = {{0, 0}}});
    const size_t bytes = context.output(0).byteSize();
    return makeKernel(
        [=](const RunContext& run) {
            const auto* from = run.in<std::byte>(0);
            auto* to = run.out<std::byte>(0);
            if (from != to && bytes > 0) std::memcpy(to, from, bytes);
        },
        {.mayShare = {{0, 0}}});
}

/// The lowest number: -infinity if the type has one.
template <typename T>
constexpr T lowestOf() {
    if constexpr (std::numeric_limits<T>::has_infinity) return -std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::lowest();
}

template <typename T>
constexpr T highestOf() {
    if constexpr (std::numeric_limits<T>::has_infinity) return std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::max();
}

/// NaN stays.
template <typename T>
void clampRange(const T* x, T low, T high, T* y, int64_t count) {
    if constexpr (std::is_same_v<T, float>) {
        simd::clamp(x, low, high, y, count);
    } else {
        for (int64_t i = 0; i < count; ++i) {
            const T raised = x[i] < low ? low : x[i];
            y[i] = raised > high ? high : raised;
        }
    }
}

/// The bounds are attributes in old models and inputs, which may depend on data, in newer ones.
template <typename T>
std::unique_ptr<Kernel> prepareClipOf(const PrepareContext& context) {
    const bool hasLow = context.hasInput(1);
    const bool hasHigh = context.hasInput(2);
    const Node& node = context.node();
    const auto bound = [&node](const char* name, T otherwise) {
        if (!node.hasAttribute(name)) return otherwise;
        const auto value = node.attribute<float>(name, 0);
        if constexpr (std::is_integral_v<T>) return saturatedCast<T>(value);
        return static_cast<T>(value);
    };
    const T lowest = bound("min", lowestOf<T>()), highest = bound("max", highestOf<T>());
    auto form = elementwiseForm(context, 3, kMapGrain);
    form.operands[1].isNumber = form.operands[2].isNumber = true;
    return makeElementwise(std::move(form),
                           [=](const void* const* inputs, void* output, int64_t count) {
                               const T low = hasLow ? *static_cast<const T*>(inputs[1]) : lowest;
                               const T high = hasHigh ? *static_cast<const T*>(inputs[2]) : highest;
                               clampRange(static_cast<const T*>(inputs[0]), low, high,
                                          static_cast<T*>(output), count);
                           },
                           {{0, 0}});
}

std::unique_ptr<Kernel> prepareClip(const PrepareContext& context) {
    for (const size_t bound : {size_t{1}, size_t{2}}) {
        if (context.hasInput(bound) && context.input(bound).numElements() != 1) {
            context.fail(ErrorCode::InvalidInput,
                         "Bound " + std::to_string(bound) + " has the shape " +
                             formatShape(context.input(bound).shape) + "; expected one element.");
        }
    }
    return visitNumeric(context, context.input(0).dtype,
                        [&]<typename T>() { return prepareClipOf<T>(context); });
}

void addTrigonometry(KernelRegistry& kernels) {
    kernels.add("", "Sin", floatingUnary([](auto x) { return std::sin(x); }));
    kernels.add("", "Cos", floatingUnary([](auto x) { return std::cos(x); }));
    kernels.add("", "Tan", floatingUnary([](auto x) { return std::tan(x); }));
    kernels.add("", "Asin", floatingUnary([](auto x) { return std::asin(x); }));
    kernels.add("", "Acos", floatingUnary([](auto x) { return std::acos(x); }));
    kernels.add("", "Atan", floatingUnary([](auto x) { return std::atan(x); }));
    kernels.add("", "Sinh", floatingUnary([](auto x) { return std::sinh(x); }));
    kernels.add("", "Cosh", floatingUnary([](auto x) { return std::cosh(x); }));
    kernels.add("", "Asinh", floatingUnary([](auto x) { return std::asinh(x); }));
    kernels.add("", "Acosh", floatingUnary([](auto x) { return std::acosh(x); }));
    kernels.add("", "Atanh", floatingUnary([](auto x) { return std::atanh(x); }));
}

}  // namespace

void registerUnaryKernels(KernelRegistry& kernels) {
    kernels.add("", "Neg", numericUnary([](auto x) { return negative(x); }));
    kernels.add("", "Abs", numericUnary([](auto x) { return absolute(x); }));
    kernels.add("", "Sign", numericUnary([](auto x) { return signOf(x); }));
    kernels.add("", "Exp", floatingUnary(simd::exp, [](auto x) { return std::exp(x); }));
    kernels.add("", "Log", floatingUnary(simd::log, [](auto x) { return std::log(x); }));
    kernels.add("", "Sqrt", floatingUnary(simd::sqrt, [](auto x) { return std::sqrt(x); }));
    kernels.add("", "Erf", floatingUnary(simd::erf, [](auto x) { return std::erf(x); }));
    kernels.add("", "Reciprocal",
                floatingUnary([](auto x) { return decltype(x){1} / x; }, kMapGrain));
    kernels.add("", "Floor", floatingUnary([](auto x) { return std::floor(x); }, kMapGrain));
    kernels.add("", "Ceil", floatingUnary([](auto x) { return std::ceil(x); }, kMapGrain));
    // Ties go to the even number: the rounding mode of the process is never changed.
    kernels.add("", "Round", floatingUnary([](auto x) { return std::nearbyint(x); }, kMapGrain));
    addTrigonometry(kernels);
    kernels.add("", "Not", prepareNot);
    kernels.add("", "IsNaN", prepareIsNaN);
    kernels.add("", "IsInf", prepareIsInf);
    kernels.add("", "Identity", prepareIdentity);
    kernels.add("", "Clip", prepareClip);
}

}  // namespace temper
